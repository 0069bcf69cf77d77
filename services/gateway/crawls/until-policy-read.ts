/**
 * Waits for the policy of a site, which the extractor reads while the crawl runs. A crawl of few pages may end some
 * hundred milliseconds before its policy is read. The first response with the status `done` would then lack the policy.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunView } from '@tidemark/contracts/http/crawls'

type Ports = { read: () => Promise<RunView | null>; now: () => number }

/** Maximum milliseconds after the end of a crawl. A site that cannot be reached has no policy. */
const maxMs = 2_000
const pollMs = 50

/** Returns the crawl, read again if it has just ended without a policy. */
export async function untilPolicyRead(found: RunView, { read, now }: Ports): Promise<RunView | null> {
  const until = now() + maxMs
  let run: RunView | null = found
  while (run?.status === 'done' && run.ai_bot_policy === null) {
    if (now() >= until || now() - Date.parse(run.finished_at ?? '') >= maxMs) break
    await sleep(pollMs)
    run = await read()
  }
  return run
}
