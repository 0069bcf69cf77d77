/**
 * The specification exists in two revisions that differ in details: its narrative (0.5.0) and its machine-readable
 * description (0.4.1). An installation follows exactly one, so that clients never meet a mixture. This table has all
 * differences, and responses read it from `app.profile`.
 */
import { version } from '@tidemark/contracts/version'
import type { ApiProblem } from './problem.ts'

export type ProfileName = 'narrative' | 'openapi'

export type Profile = {
  /** The version in the OpenAPI document. */
  version: string
  /** The status of a started crawl. */
  started: 201 | 202
  /** The status of invalid input, if the specification has none for the endpoint or the fault. */
  invalid: 400 | 422
  /** Concurrent pages of a bulk scan: the default and the maximum. */
  bulk: { usual: number; max: number }
  /** The status of a revoked key: 204 has no body, 200 has one. */
  keyRevoked: 200 | 204
  /** The status of a deleted monitor: 204 has no body, 200 has one. */
  monitorDeleted: 200 | 204
  /** The code of every 429. */
  tooMany: string
}

export const profiles: Record<ProfileName, Profile> = {
  narrative: {
    version,
    started: 202,
    invalid: 400,
    bulk: { usual: 64, max: 64 },
    keyRevoked: 204,
    monitorDeleted: 204,
    tooMany: 'too_many_requests',
  },
  openapi: {
    version: '0.4.1',
    started: 201,
    invalid: 422,
    bulk: { usual: 8, max: 32 },
    keyRevoked: 200,
    monitorDeleted: 200,
    tooMany: 'RATE_LIMITED',
  },
}

/** Returns the status and the code of a problem in this profile. */
export const shownProblem = ({ code, status, reason }: ApiProblem, { invalid, tooMany }: Profile) => ({
  code: code === 'too_many_requests' ? tooMany : code,
  // Too many addresses are 400 in both revisions.
  status: code === 'invalid_input' && status === 400 && reason !== 'too_many_urls' ? invalid : status,
})
