/** Small signs of a state or a time. */
import { dateTimeFormat, timeFormat } from '../data/formats.ts'

const tones: Record<string, string> = {
  queued: 'wait',
  running: 'live',
  starting: 'live',
  pending: 'wait',
  retried: 'wait',
  paused: 'wait',
  done: 'good',
  fetched: 'good',
  delivered: 'good',
  failed: 'bad',
  dead: 'bad',
  cancelled: 'off',
  skipped: 'off',
  deleted: 'off',
  duplicate: 'off',
  revoked: 'off',
  active: 'good',
  changed: 'wait',
  added: 'good',
  removed: 'bad',
  error: 'bad',
  warning: 'wait',
  notice: 'off',
  new: 'bad',
  same: 'off',
  gone: 'good',
  pass: 'good',
  warn: 'wait',
  fail: 'bad',
  missing: 'bad',
}

/** A state as a word with a colored dot. */
export function Mark({ state }: { state: string }) {
  return <span class={`mark ${tones[state] ?? 'off'}`}>{state.replaceAll('_', ' ')}</span>
}

/** An HTTP status. */
export function Status({ code }: { code: number | null }) {
  if (code === null) return <span class="quiet">none</span>
  const tone = code < 300 ? 'good' : code < 400 ? 'wait' : 'bad'
  return <span class={`status ${tone}`}>{code}</span>
}

/** A time in the zone of the reader, with UTC on hover. Today's times have no date. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="quiet">–</span>
  const time = new Date(at)
  const isToday = time.toDateString() === new Date().toDateString()
  return (
    <time dateTime={at} title={`${time.toISOString().replace('T', ' ').slice(0, 19)} UTC`}>
      {(isToday ? timeFormat() : dateTimeFormat()).format(time)}
    </time>
  )
}
