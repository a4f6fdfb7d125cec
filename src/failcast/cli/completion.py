"""`failcast completion`: print a script that lets a shell complete verbs, options and their values.

On the map: cli. The script asks the program itself at each TAB, in the way of typer: the line goes
in by the environment, and lines of a word, a tab and its meaning come out. One protocol, that of
fish, serves all three shells. What ends in `=`, `/` or `.` is not followed by a space.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from failcast.cli.guard import guarded

PROGRAM = "failcast"
ASKED = "_FAILCAST_COMPLETE"
_ASK = "_TYPER_COMPLETE_FISH_ACTION=get-args _FAILCAST_COMPLETE=complete_fish"

_WIDE = "10000"

Shell = Literal["bash", "zsh", "fish"]

# In bash `=` and `:` part words: what stands before the last of them is not to be repeated.
BASH = f"""\
# Completion of failcast for bash: add to ~/.bashrc
#     source <(failcast completion bash)
_failcast() {{
    local line="${{COMP_LINE:0:COMP_POINT}}" word given
    word="${{line##* }}"
    given="${{word%"${{word##*[=:]}}"}}"
    COMPREPLY=()
    while IFS=$'\\t' read -r word _; do
        word="${{word#"$given"}}"
        [[ "$word" == *[[:space:]]* ]] && printf -v word %q "$word"
        [[ -n "$word" ]] && COMPREPLY+=("$word")
    done < <(env _TYPER_COMPLETE_ARGS="$line" {_ASK} "$1" 2>/dev/null)
    if [[ ${{#COMPREPLY[@]}} -eq 1 && "${{COMPREPLY[0]}}" == *[=/.] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}}
complete -F _failcast failcast
"""

ZSH = f"""\
#compdef failcast
# Completion of failcast for zsh: add to ~/.zshrc, below compinit
#     source <(failcast completion zsh)
_failcast() {{
    local -a closed open
    local word meaning
    while IFS=$'\\t' read -r word meaning; do
        case "$word" in
            "") ;;
            *[=/.]) open+=("${{word//:/\\\\:}}${{meaning:+:$meaning}}") ;;
            *) closed+=("${{word//:/\\\\:}}${{meaning:+:$meaning}}") ;;
        esac
    done < <(env _TYPER_COMPLETE_ARGS="${{words[1,CURRENT]}}" {_ASK} "${{words[1]}}" 2>/dev/null)
    (( $#closed )) && _describe -V failcast closed
    (( $#open )) && _describe -V failcast open -S ''
}}
if [[ "$funcstack[1]" == _failcast ]]; then
    _failcast "$@"
else
    compdef _failcast failcast
fi
"""

FISH = f"""\
# Completion of failcast for fish: put into ~/.config/fish/completions/failcast.fish
function __failcast
    env _TYPER_COMPLETE_ARGS=(commandline -cp | string collect) {_ASK} failcast 2>/dev/null
end
complete --command failcast --no-files --arguments "(__failcast)"
"""

SCRIPTS: dict[Shell, str] = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print a script that lets TAB complete in SHELL.

    In bash: `source <(failcast completion bash)`.
    """
    with guarded():
        typer.echo(SCRIPTS[shell], nl=False)


def get_ready() -> None:
    """Let typer know its shells where one of them asks; it answers inside `app()`."""
    if ASKED in os.environ:
        from typer.completion import get_completion_inspect_parameters

        os.environ["COLUMNS"] = _WIDE  # or typer would fold a meaning into two lines
        get_completion_inspect_parameters()  # the options are not wanted, but it learns the shells
