/**
 * Rejects a text that is not a schedule, a schedule that is never due, and an unknown time zone, with the error of the
 * API.
 */
import { Refusal } from '@tidemark/bus/refusal'
import { BadCron, parseCron } from '../domain/cron.ts'
import { nextMinute } from '../domain/next-minute.ts'
import { isZone } from '../domain/zone.ts'

type Where = { status: number; field: string }

/** Checks a schedule. @throws Refusal `invalid_input`, reason `bad_cron` */
export function judgeSchedule(text: string, now: number, { status, field }: Where): void {
  const fault = faultOf(text, now)
  if (fault === null) return
  throw new Refusal({ status, code: 'invalid_input', reason: 'bad_cron', field, message: fault })
}

/** Checks the time zone of a schedule. @throws Refusal `invalid_input`, reason `bad_timezone` */
export function judgeZone(name: string | undefined, { status }: Pick<Where, 'status'>): void {
  if (name === undefined || isZone(name)) return
  const message = `timezone is not a name of the IANA time zone database: "${name.slice(0, maxShown)}". Use a name such as Europe/Berlin or UTC.`
  throw new Refusal({ status, code: 'invalid_input', reason: 'bad_timezone', field: 'timezone', message })
}

const maxShown = 50

function faultOf(text: string, now: number): string | null {
  try {
    return nextMinute(parseCron(text), now) === null
      ? 'The schedule never occurs: no calendar has such a day.'
      : null
  } catch (error) {
    if (error instanceof BadCron) return error.message
    throw error
  }
}
