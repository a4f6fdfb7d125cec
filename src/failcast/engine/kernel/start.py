"""Time zero: every run starts from the same world, but for chance."""

from __future__ import annotations

import math
from typing import Final

from failcast.engine.compiled import bare, inlined
from failcast.engine.kernel.ages import begin_life
from failcast.engine.kernel.calendar import clear, insert
from failcast.engine.kernel.hosts import join
from failcast.engine.kernel.order import keep_first
from failcast.engine.kernel.reserves import rest
from failcast.engine.kernel.rows import (
    calendar_at,
    id_at,
    ledger_at,
    server_at,
    slot_at,
    state_at,
)
from failcast.engine.kernel.series import begin_counts
from failcast.engine.kernel.shop import open_shop
from failcast.engine.kernel.tally import clear_tally
from failcast.engine.kernel.work import clear_work
from failcast.engine.lives import life_hours, lives_are_exponential
from failcast.engine.model import ACTIVE, BUCKETS, COUNTERS, IDLE, SPARE
from failcast.engine.plan import START_NEW
from failcast.engine.random import (
    DEFECTIVE,
    LIFE,
    address,
    bits,
    first_exponential,
    replication_root,
    to_unit,
)
from failcast.engine.replay import replay_hours
from failcast.engine.tables import code
from failcast.engine.world import DUE, FAILING, FIRST, NO_PHASE, NO_STATUS, NONE

#: Standard errors of a share; the share of draws below a bound is further off in 1 of 10**8 cases.
_FAR: Final = 6.0
#: Of a job's length, so that rounding takes its end not beyond the limit of its calendar; and where
#: the clock runs on while work is lost.
_ROOM: Final = 1.0 + 1e-9
_ROOM_FOR_LOSSES: Final = 1.25
#: More hours than anything is due after.
_NEVER: Final = 1e300
GOOD: Final = code(0)
#: For a moment, of a life.
_TO_BE_DRAWN: Final = -1.0


@bare
def reset(plan, w, seed, replication):  # type: ignore[no-untyped-def]  # compiled
    """Put the world into the state at time zero of one replication."""
    for i in range(len(BUCKETS)):
        w.books[i] = 0.0
    for i in range(len(COUNTERS)):
        w.counts[i] = 0
    clear_tally(w)
    begin_counts(w)
    w.wall = w.clock = w.progress = 0.0
    w.phase, w.status = NO_PHASE, NO_STATUS
    w.short = w.wake = 0
    w.active = 0
    w.standby_head = w.standby_count = 0
    w.loans = w.arriving = 0
    w.not_retired = plan.servers_total
    w.selections = w.recoveries = w.regenerations = 0
    w.events_left, w.trace_n = plan.max_events, 0
    w.last_rank = w.last_server = NONE
    w.regeneration_next = plan.regeneration_interval
    w.check_next = plan.health_check_period if plan.health_checked != 0 else math.inf
    w.death_bound = math.inf
    w.rare_bound = 0.0
    clear_work(plan, w)
    w.replays, w.replay_next = FIRST, replay_hours(plan, FIRST)
    w.root = replication_root(seed, replication)
    room = _ROOM_FOR_LOSSES if plan.loses_work != 0 else _ROOM
    clear(calendar_at(w.calendars, FAILING), plan.failures_per_hour, room * plan.length)
    clear(calendar_at(w.calendars, DUE), plan.dues_per_hour, _NEVER)
    _reset_servers(plan, w)
    if plan.shop != 0:
        open_shop(plan, w)


@bare
def _reset_servers(plan, w):  # type: ignore[no-untyped-def]  # compiled
    total = plan.servers_total
    if _begin_at_work(plan):
        _begin_work(plan, w)
    else:
        _fill_working_pool(plan, w)
        for s in range(total):
            server = server_at(w.servers, s)
            _clean(server, s)
            server.life = life_hours(plan, w.root, s, FIRST, GOOD)
    _fill_spare_pool(plan, w)
    if plan.start != START_NEW or plan.age_kept != 0 or plan.reserve_exposed != 0:
        for s in range(total):
            _begin_life(plan, w, s)
    if plan.ledger != 0:
        for s in range(total):
            line = ledger_at(w.ledger, s)
            line.joined = line.operated = 0.0
            line.score, line.blames = plan.score_initial, 0
    if plan.defective_count > 0:
        _choose_defective(plan, w)


@inlined
def _clean(server, s):  # type: ignore[no-untyped-def]  # compiled
    """Let nothing have happened to a server yet."""
    server.renewal = server.preemptions = 0
    server.rank = server.silent = 0  # all flags, so that they are one store
    server.defective = server.condemned = server.escalated = server.failed = 0
    server.faulty = server.relapsing = 0
    server.in_pool = server.after = s


@bare
def _fill_working_pool(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Let the first servers be idle in the working pool, in the order of their numbers.

    They are not on the list of idle ones where all will be at work.
    """
    working = plan.working_pool
    for s in range(working):
        id_at(w.pool, s).server = s
        state_at(w.states, s).is_ = IDLE
    w.pool_end, w.idle = working, FIRST if _suffice(plan) else working
    for s in range(w.idle):
        id_at(w.idles, s).server = s


@bare
def _fill_spare_pool(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Let the other servers be spare, in the order of their numbers."""
    working, spare = plan.working_pool, plan.servers_total - plan.working_pool
    for k in range(spare):
        id_at(w.spares, k).server = working + k
        state_at(w.states, working + k).is_ = SPARE
    w.spare_head, w.spares_left = FIRST, spare


@inlined
def _suffice(plan):  # type: ignore[no-untyped-def]  # compiled
    return plan.working_pool >= plan.job_servers and plan.reserve_exposed == 0


@inlined
def _begin_at_work(plan):  # type: ignore[no-untyped-def]  # compiled
    """Say whether all of the working pool begin at work, with exponential lives that end."""
    usual = plan.start == START_NEW and plan.age_kept == 0 and plan.defective_count == 0
    return usual and lives_are_exponential(plan) and _suffice(plan)


@bare
def _begin_work(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Let the servers of the working pool be active, and those be listed that the job may see fail.

    Nothing is called and no branch is taken for a server that lives longer, as most do. Whose life
    takes more than a look-up is listed, too, and draws it then.
    """
    calendar, listed, servers, root = calendar_at(w.calendars, FAILING), w.chosen, w.servers, w.root
    limit, mean, unit, n = calendar.limit, plan.life_mean_good, plan.life_a, FIRST
    working, pool, states = plan.working_pool, w.pool, w.states
    for s in range(plan.servers_total):
        server = server_at(servers, s)
        _clean(server, s)
        x, is_it = first_exponential(bits(address(root, s, FIRST), LIFE))
        life = mean * (unit * x) if is_it else _TO_BE_DRAWN
        server.key = server.life = life
        id_at(pool, s).server, state_at(states, s).is_ = s, ACTIVE  # spares are dealt with later
        id_at(listed, n).server = s  # the next one overwrites it, unless it is kept
        n += 1 if life <= limit else 0
    w.pool_end = w.active = calendar.parked = working
    w.idle = FIRST
    for i in range(n):
        s = int(id_at(listed, i).server)
        server = server_at(servers, s)
        if server.life == _TO_BE_DRAWN:
            server.life = life_hours(plan, root, s, FIRST, GOOD)
        if s < working:
            calendar.parked -= 1
            insert(w, calendar, s, server.life, FIRST)


@bare
def put_to_work(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Where there are enough servers for the job, let all be active before the first selection.

    That takes out those that are too many. To it this makes no difference, and most are not moved.
    """
    if _suffice(plan) and not _begin_at_work(plan):
        for s in range(plan.working_pool):
            join(plan, w, s)


@inlined
def _begin_life(plan, w, s):  # type: ignore[no-untyped-def]  # compiled
    """Give a server its first life, in the condition it is in."""
    server = server_at(w.servers, s)
    if plan.start != START_NEW or plan.age_kept != 0:
        server.life = begin_life(plan, w, s)
    else:
        server.life = life_hours(plan, w.root, s, FIRST, server.defective)
    rest(plan, w, 0.0, s, state_at(w.states, s).is_)


@bare
def _choose_defective(plan, w):  # type: ignore[no-untyped-def]  # compiled
    """Say who is defective from the start; their lives, which are good ones by then, are others."""
    for s in range(plan.servers_total):
        slot_at(w.slots, s).candidate = s
    keep_smallest_draws(w, DEFECTIVE, FIRST, plan.servers_total, plan.defective_count)
    for i in range(plan.defective_count):
        s = slot_at(w.slots, i).candidate
        server_at(w.servers, s).defective = 1
        _begin_life(plan, w, s)
        w.defective += 1 if s < plan.working_pool else 0


@bare
def keep_smallest_draws(w, stream, n, m, count):  # type: ignore[no-untyped-def]  # compiled
    """Leave in front those ``count`` of the first ``m`` candidates whose draws are smallest.

    Draws are uniform, so those below a bound a little above ``count / m`` nearly always suffice.
    """
    share = count / m if m > 0 else 0.0
    bound = share + _FAR * math.sqrt(share * (1.0 - share) / max(1, m))
    found = _gather_draws_below(w, stream, n, m, bound)
    if found < count:
        found = _gather_draws_below(w, stream, n, m, math.inf)
    keep_first(w, found, count)


@bare
def _gather_draws_below(w, stream, n, m, bound):  # type: ignore[no-untyped-def]  # compiled
    """Bring the candidates with draws below ``bound`` to the front; return how many there are."""
    found, root, slots = FIRST, w.root, w.slots
    for i in range(m):
        candidate = slot_at(slots, i).candidate
        draw = bits(address(root, candidate, n), stream)
        if to_unit(draw) < bound:
            slot = slot_at(slots, found)
            slot_at(slots, i).candidate = slot.candidate
            slot.key, slot.draw, slot.candidate = 0.0, draw, candidate
            found += 1
    return found
