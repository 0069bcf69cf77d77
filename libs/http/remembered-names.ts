/**
 * Remembers what name servers said, for as long as they allow and for a minute at most. That a name is not there is
 * remembered for half a minute. What they could not tell is remembered for a moment alone, so that who comes again
 * asks anew.
 */
import { Bounded } from './bounded.ts'

/** How long a name's addresses hold, in seconds, as the name servers say. */
export type Found<Address> = { addresses: Address[]; ttlSeconds: number }

type Answer<Address> = { until: number; addresses: Address[]; failure: unknown }

export type Remembering<Address> = {
  ask: (name: string) => Promise<Found<Address>>
  /** Most names that are asked for at once; who asks for one more is refused at once, with EAI_AGAIN. */
  maxUnderWay?: number
  /** In milliseconds. */
  now?: () => number
}

const maxSeconds = 60
const absentMs = 30_000
/** Shorter than anybody waits before he tries again, and long enough for all who wait for the same site now. */
const untoldMs = 500
const maxNames = 10_000
const defaultUnderWay = 1_000

/** The same question asked by many at once is asked once. */
export function rememberNames<Address>({
  ask,
  maxUnderWay = defaultUnderWay,
  now = () => performance.now(),
}: Remembering<Address>): (name: string) => Promise<Address[]> {
  const answers = new Bounded<string, Answer<Address>>(maxNames)
  const underWay = new Map<string, Promise<Answer<Address>>>()

  async function askFor(name: string): Promise<Answer<Address>> {
    try {
      const { addresses, ttlSeconds } = await ask(name)
      const until = now() + Math.min(ttlSeconds, maxSeconds) * 1000
      return { until, addresses, failure: null }
    } catch (failure) {
      return { until: now() + (isAbsence(failure) ? absentMs : untoldMs), addresses: [], failure }
    }
  }

  function start(name: string): Promise<Answer<Address>> {
    if (underWay.size >= maxUnderWay) throw tooMany()
    const asking = askFor(name).then(answer => {
      underWay.delete(name)
      answers.set(name, answer)
      return answer
    })
    underWay.set(name, asking)
    return asking
  }

  return async host => {
    const name = host.toLowerCase()
    const known = answers.get(name)
    const answer = known && now() < known.until ? known : await (underWay.get(name) ?? start(name))
    if (answer.failure !== null) throw answer.failure
    return answer.addresses
  }
}

const absences = new Set(['ENOTFOUND', 'ENODATA'])

/** Whether a name server has said that there is no such name, or no address of it. */
export const isAbsence = (failure: unknown): boolean =>
  failure instanceof Error && absences.has(String(Reflect.get(failure, 'code')))

const tooMany = () => Object.assign(new Error('too many DNS lookups are in progress'), { code: 'EAI_AGAIN' })
