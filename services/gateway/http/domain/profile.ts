/**
 * The specification exists in two revisions that differ in details: its narrative (0.5.0) and its machine-readable
 * description (0.4.1). An installation speaks one of them whole, so that no client meets a mixture; this table is all
 * that they differ in, and whoever answers reads it from `app.profile`.
 */
import { version } from '@tidemark/contracts/version'
import type { ApiProblem } from './problem.ts'

export type ProfileName = 'narrative' | 'openapi'

export type Profile = {
  /** The version that the OpenAPI document names. */
  version: string
  /** The status of a crawl that was started. */
  started: 201 | 202
  /** The status of what is not valid, where the specification has none for the endpoint or the fault. */
  invalid: 400 | 422
  /** Pages of a bulk scan under way at once: where nothing is said, and at most. */
  bulk: { usual: number; most: number }
  /** The status of a key that was revoked: 204 without a body, 200 with one. */
  keyRevoked: 200 | 204
  /** The status of a monitor that was deleted, alike. */
  monitorDeleted: 200 | 204
  /** The code of every 429. */
  tooMany: string
}

export const profiles: Record<ProfileName, Profile> = {
  narrative: {
    version,
    started: 202,
    invalid: 400,
    bulk: { usual: 64, most: 64 },
    keyRevoked: 204,
    monitorDeleted: 204,
    tooMany: 'too_many_requests',
  },
  openapi: {
    version: '0.4.1',
    started: 201,
    invalid: 422,
    bulk: { usual: 8, most: 32 },
    keyRevoked: 200,
    monitorDeleted: 200,
    tooMany: 'RATE_LIMITED',
  },
}

/** The status and the code with which a problem goes out. */
export const spoken = ({ code, status, reason }: ApiProblem, { invalid, tooMany }: Profile) => ({
  code: code === 'too_many_requests' ? tooMany : code,
  // More addresses than may be are 400 in both revisions.
  status: code === 'invalid_input' && status === 400 && reason !== 'too_many_urls' ? invalid : status,
})
