/** Rejects a text that is not a schedule, and a schedule that is never due, with the error of the API. */
import { Refusal } from '@tidemark/bus/refusal'
import { BadCron, parseCron } from '../domain/cron.ts'
import { nextMinute } from '../domain/next-minute.ts'

type Where = { status: number; field: string }

/** Checks a schedule. @throws Refusal `invalid_input`, reason `bad_cron` */
export function judgeSchedule(text: string, now: number, { status, field }: Where): void {
  const fault = faultOf(text, now)
  if (fault === null) return
  throw new Refusal({ status, code: 'invalid_input', reason: 'bad_cron', field, message: fault })
}

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
