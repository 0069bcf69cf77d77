/**
 * Finds the run that an Idempotency-Key has started, whatever the body. Keys of requests with invalid bodies count too,
 * so this function is called after a request was rejected.
 */
import { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { ProblemCode } from '@tidemark/contracts/problems'
import type { MonitorCreatedResponse } from '@tidemark/contracts/rpc/monitors'
import type { RunStartedResponse } from '@tidemark/contracts/rpc/runs'
import { isObject } from '@tidemark/schema/bounds'
import { Check } from 'typebox/value'
import type { Caller } from '../access/authentication.ts'
import { problemOf } from '../http/requests/problem-of.ts'
import type { MonitorStarts } from './adapters/monitor-starts.ts'
import type { Runs } from './adapters/runs.ts'
import { visibleKey } from './started.ts'

export type EarlierPorts = Pick<Runs, 'findStarted'> & {
  monitors: Pick<MonitorStarts, 'findCreated'>
}

export type EarlierStart =
  | { type: 'run'; started: RunStartedResponse }
  | { type: 'monitor'; created: MonitorCreatedResponse }

type Refused = { headers: Record<string, unknown>; body: unknown; caller: Caller | undefined }

const ofBodies: ReadonlySet<ProblemCode> = new Set([
  'invalid_input',
  'payload_too_large',
  'unsupported_media_type',
])

/**
 * Returns what the key has started; null: the error does not concern the body, there is no key, or the key has started
 * nothing. Throws a `Refusal` if the run was deleted, or is unknown at the moment.
 */
export async function earlierStart(
  { findStarted, monitors }: EarlierPorts,
  error: unknown,
  { headers, body, caller }: Refused,
): Promise<EarlierStart | null> {
  const keyed = keyOfRefused(error, { headers, caller })
  if (keyed === null) return null
  const request = Check(CrawlRequest, body) ? body : null
  if (isObject(body) && body.cron !== undefined) {
    const created = await monitors.findCreated(keyed, request)
    return created && { type: 'monitor', created }
  }
  const started = await findStarted(keyed, request)
  return started && { type: 'run', started }
}

/** Returns the key of a request that was rejected for its body; null: the error does not concern it, or it has no key. */
export function keyOfRefused(
  error: unknown,
  { headers, caller }: Omit<Refused, 'body'>,
): { projectId: number; idempotencyKey: string } | null {
  const idempotencyKey = headers['idempotency-key']
  if (typeof idempotencyKey !== 'string' || !new RegExp(visibleKey).test(idempotencyKey)) return null
  if (caller === undefined || !ofBodies.has(problemOf(error).code)) return null
  return { projectId: caller.projectId, idempotencyKey }
}
