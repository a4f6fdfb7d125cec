"""Rows of the world's tables, for compiled code: an address and an index, nothing checked."""

from __future__ import annotations

from failcast.engine.memory import row_of
from failcast.engine.world import (
    CALENDAR_DTYPE,
    COUNTS_DTYPE,
    FLAG_DTYPE,
    HOURS_DTYPE,
    ID_DTYPE,
    LEDGER_DTYPE,
    ORDER_DTYPE,
    QUEUE_DTYPE,
    SERVER_DTYPE,
    SHEET_DTYPE,
    SLOT_DTYPE,
    STATE_DTYPE,
    TIE_DTYPE,
    TRACE_DTYPE,
)

server_at = row_of(SERVER_DTYPE)
slot_at = row_of(SLOT_DTYPE)
id_at = row_of(ID_DTYPE)
state_at = row_of(STATE_DTYPE)
line_at = row_of(TRACE_DTYPE)
hours_at = row_of(HOURS_DTYPE)
calendar_at = row_of(CALENDAR_DTYPE)
ledger_at = row_of(LEDGER_DTYPE)
line_on_sheet = row_of(SHEET_DTYPE)
tie_at = row_of(TIE_DTYPE)
order_at = row_of(ORDER_DTYPE)
queue_at = row_of(QUEUE_DTYPE)
flag_at = row_of(FLAG_DTYPE)
counts_at = row_of(COUNTS_DTYPE)
