/**
 * Remembers what name servers said, for as long as they allow and for a minute at most. Of a name that they cannot
 * tell, that is remembered for half a minute: a dead name server is then not asked for each page of its sites.
 */
import { Bounded } from './bounded.ts'

/** How long a name's addresses hold, in seconds, as the name servers say. */
export type Found<Address> = { addresses: Address[]; ttlSeconds: number }

type Answer<Address> = { until: number; addresses: Address[]; failure: unknown }

export type Remembering<Address> = {
  ask: (name: string) => Promise<Found<Address>>
  /** Most names that are asked for at once; who asks for one more is refused at once, with EAI_AGAIN. */
  mostUnderWay?: number
  /** In milliseconds. */
  now?: () => number
}

const longestSeconds = 60
const failureSeconds = 30
const mostNames = 10_000
const defaultUnderWay = 1_000

/** The same question asked by many at once is asked once. */
export function rememberNames<Address>({
  ask,
  mostUnderWay = defaultUnderWay,
  now = () => performance.now(),
}: Remembering<Address>): (name: string) => Promise<Address[]> {
  const answers = new Bounded<string, Answer<Address>>(mostNames)
  const underWay = new Map<string, Promise<Answer<Address>>>()
  let answeredAt = Number.NEGATIVE_INFINITY

  async function askFor(name: string): Promise<Answer<Address>> {
    const began = now()
    try {
      const { addresses, ttlSeconds } = await ask(name)
      answeredAt = now()
      const until = now() + Math.min(ttlSeconds, longestSeconds) * 1000
      return { until, addresses, failure: null }
    } catch (failure) {
      if (!isSilence(failure)) answeredAt = now()
      // Where nothing at all was answered meanwhile, it is not the name that is at fault.
      const holdsMs = answeredAt >= began ? failureSeconds * 1000 : 0
      return { until: now() + holdsMs, addresses: [], failure }
    }
  }

  function start(name: string): Promise<Answer<Address>> {
    if (underWay.size >= mostUnderWay) throw tooMany()
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

const silences = new Set(['ETIMEOUT', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ECANCELLED'])

const isSilence = (failure: unknown) =>
  failure instanceof Error && silences.has(String(Reflect.get(failure, 'code')))

const tooMany = () => Object.assign(new Error('too many names are asked for at once'), { code: 'EAI_AGAIN' })
