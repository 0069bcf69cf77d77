/**
 * What many clients at once must not be able to bend: the cap of runs, the key of a request, the run that was just
 * answered. Each trial says in sentences what it found wrong, and nothing when the promise held.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, System } from '../../e2e/system.ts'

/** `url` is a page that takes longer than the trial. */
export type Slow = { system: System; key: string; url: string }

const settings = { max_pages: 1, delay_ms: 0, respect_robots: false }
const cap = 5

/** Of so many requests at once exactly five are admitted; the others are told when to come again. */
export async function fiveAtOnce({ system, key, url }: Slow, rounds: number, requests: number) {
  const wrong: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const answers = await Promise.all(
      Array.from({ length: requests }, () => system.call(key, 'POST', '/v1/crawls', { url, ...settings })),
    )
    const admitted = answers.filter(({ status }) => status === 202)
    const refused = answers.filter(isRefusal)
    if (admitted.length !== cap || refused.length !== requests - cap)
      wrong.push(`round ${round}: ${admitted.length} admitted, ${refused.length} refused as they should be`)
    await Promise.all(admitted.map(({ body }) => cancel(system, key, body.id)))
  }
  return wrong
}

/**
 * Requests at once under one key are one run, and one answer is not a replay; also when whoever answers is killed
 * meanwhile, and they are sent again.
 * @param kill is called so many times, spread over the keys
 */
export async function oneRunAKey(
  { system, key, url }: Slow,
  { keys, requests }: { keys: number; requests: number },
  { kills, kill }: { kills: number; kill: () => Promise<void> } = { kills: 0, kill: async () => {} },
): Promise<string[]> {
  const wrong: string[] = []
  const runs = new Set<number>()
  for (let n = 0; n < keys; n++) {
    const isKill = kills > 0 && n % Math.ceil(keys / kills) === 0
    const post = () =>
      insist(() =>
        system.call(key, 'POST', '/v1/crawls', { url, ...settings }, { 'idempotency-key': `trial-${n}` }),
      )
    const asked = Promise.all(Array.from({ length: requests }, post))
    if (isKill) await kill()
    const answers = await asked
    const ids = new Set(answers.map(({ body }) => body.id))
    const first = answers.filter(({ headers }) => headers.get('idempotent-replayed') !== 'true').length
    const isOne = ids.size === 1 && (isKill ? first <= 1 : first === 1)
    if (!isOne || answers.some(({ status }) => status !== 202))
      wrong.push(`key ${n}: runs ${[...ids]}, ${first} first, ${answers.map(({ status }) => status)}`)
    for (const id of ids) runs.add(id)
    for (const id of ids) await cancel(system, key, id)
  }
  if (runs.size !== keys) wrong.push(`${runs.size} runs for ${keys} keys`)
  return wrong
}

/** A run that was answered is there for whoever asks at once. */
export async function thereAtOnce({ system, key, url }: Slow, times: number): Promise<string[]> {
  const wrong: string[] = []
  for (let n = 0; n < times; ) {
    const { status, body } = await system.call(key, 'POST', '/v1/crawls', { url, ...settings })
    if (status === 429) await sleep(50)
    if (status !== 202) continue
    n++
    const read = await system.call(key, 'GET', `/v1/crawls/${body.id}`)
    if (read.status !== 200 || read.body.id !== body.id) wrong.push(`run ${body.id}: ${read.status}`)
  }
  return wrong
}

const isRefusal = ({ status, headers, body }: Answer): boolean =>
  status === 429 && headers.has('retry-after') && body.error.reason === 'concurrent_runs'

/** Sends again what found nobody. */
async function insist(send: () => Promise<Answer>): Promise<Answer> {
  for (const limit = Date.now() + 60_000; ; await sleep(50)) {
    const answer = await send().catch(() => null)
    if (answer !== null && answer.status !== 503) return answer
    if (Date.now() > limit) throw new Error('nobody answered for a minute')
  }
}

async function cancel(system: System, key: string, id: number): Promise<void> {
  const { status } = await insist(() => system.call(key, 'POST', `/v1/crawls/${id}/cancel`))
  if (status !== 200) throw new Error(`cancelling run ${id} answered ${status}`)
}
