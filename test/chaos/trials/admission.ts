/**
 * Promises under many concurrent requests: the cap of runs, the idempotency key, and that a run can be read right after
 * its answer. Each trial returns the violations as sentences.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, System } from '../../e2e/system.ts'

/** `url` is a page that takes longer than the trial. */
export type Slow = { system: System; key: string; url: string }

const settings = { max_pages: 1, delay_ms: 0, respect_robots: false }
const cap = 5

/** Sends concurrent requests. Exactly five are admitted; the others get 429 with `Retry-After`. */
export async function fiveAtOnce({ system, key, url }: Slow, rounds: number, requests: number) {
  const wrong: string[] = []
  for (let round = 1; round <= rounds; round++) {
    const answers = await Promise.all(
      Array.from({ length: requests }, () => system.call(key, 'POST', '/v1/crawls', { url, ...settings })),
    )
    const admitted = answers.filter(({ status }) => status === 202)
    const refused = answers.filter(isRefusal)
    if (admitted.length !== cap || refused.length !== requests - cap)
      wrong.push(`round ${round}: ${admitted.length} admitted, ${refused.length} refused with 429`)
    await Promise.all(admitted.map(({ body }) => cancel(system, key, body.id)))
  }
  return wrong
}

/**
 * Checks that concurrent requests with one key start one run, and that one answer is not a replay. This also holds if
 * the answering process is killed and the requests are sent again.
 * @param kill is called `kills` times, spread over the keys
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
    const sent = Promise.all(Array.from({ length: requests }, post))
    if (isKill) await kill()
    const answers = await sent
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

/** Checks that a run can be read right after its answer. */
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

/** Repeats a request that gets no answer or 503, for up to a minute. */
async function insist(send: () => Promise<Answer>): Promise<Answer> {
  for (const limit = Date.now() + 60_000; ; await sleep(50)) {
    const answer = await send().catch(() => null)
    if (answer !== null && answer.status !== 503) return answer
    if (Date.now() > limit) throw new Error('no answer for a minute')
  }
}

async function cancel(system: System, key: string, id: number): Promise<void> {
  const { status } = await insist(() => system.call(key, 'POST', `/v1/crawls/${id}/cancel`))
  if (status !== 200) throw new Error(`cancelling run ${id} answered ${status}`)
}
