/**
 * All error codes and reasons of the API: the codes of the specification, the codes that it leaves open, and the
 * stable reasons of each code.
 */

/** Code → its HTTP status, and the default message. */
export const problems = {
  invalid_input: { status: 400, message: 'The request is not valid.' },
  invalid_signature: {
    status: 400,
    message: 'The signature does not match the body, or its timestamp is too old.',
  },
  unauthorized: { status: 401, message: 'Send a valid API key as "Authorization: Bearer <key>".' },
  not_found: { status: 404, message: 'There is no such resource.' },
  method_not_allowed: { status: 405, message: 'This path does not support the method.' },
  timeout: { status: 408, message: 'The work took longer than the time allowed.' },
  conflict: { status: 409, message: 'The resource is in a state that does not allow this.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used before with another body. Send the same body, or another key.',
  },
  gone: { status: 410, message: 'The resource existed and has been removed.' },
  payload_too_large: { status: 413, message: 'The body exceeds the size limit of this endpoint.' },
  unsupported_media_type: { status: 415, message: 'Send a JSON body with "Content-Type: application/json".' },
  unsupported_input: { status: 422, message: 'This endpoint does not support this kind of input.' },
  name_taken: { status: 422, message: 'A project with this name exists. Choose another name.' },
  signup_rate_limited: { status: 422, message: 'A limit of sign-ups is reached. Try again later.' },
  challenge_failed: { status: 422, message: 'The challenge was not passed. Try again.' },
  headers_too_large: {
    status: 431,
    message: 'The URL and the headers together exceed the size limit.',
  },
  too_many_requests: { status: 429, message: 'A limit of this project is reached.' },
  internal: { status: 500, message: 'An internal error occurred. It is logged under this request id.' },
  fetch_failed: { status: 502, message: 'The target could not be fetched.' },
  not_ready: { status: 503, message: 'The service is starting, or a part of it is unavailable.' },
  unavailable: { status: 503, message: 'A part of the service is unavailable. Try again shortly.' },
  not_configured: { status: 503, message: 'This installation has no backend for that.' },
} as const

export type ProblemCode = keyof typeof problems

/** The stable sub-codes in `error.reason`. */
export const reasons = {
  invalid_input: [
    'bad_url',
    'blocked_domain',
    'private_address',
    'bad_regex',
    'bad_cron',
    'bad_timezone',
    'out_of_range',
    'wrong_type',
    'required',
    'bad_json',
    'bad_value',
    'too_many_urls',
    'tier_required',
    'conflicting_fields',
  ],
  not_found: ['before_crawl'],
  conflict: [
    'idempotency_key_of_deleted_run',
    'idempotency_key_of_deleted_monitor',
    'idempotency_key_of_deleted_export',
    'idempotency_key_of_deleted_batch',
    'run_active',
    'run_ended',
    'run_cancelled',
    'no_failures',
    'max_bytes_reached',
    'max_cost_reached',
    'max_pages_reached',
    'previous_run_active',
    'html_not_stored',
    'name_taken',
    'last_key',
    'narrowed_key',
    'model_consent',
    'too_many_keys',
    'too_many_secrets',
    'delivery_under_way',
    'delivery_suppressed',
    'too_many_redeliveries',
    'intent_fulfilled',
    'intent_expired',
    'intent_failed',
  ],
  gone: ['address_expired', 'file_removed'],
  signup_rate_limited: ['attempts_of_address', 'attempts_of_network', 'signups_of_day', 'checkouts_of_day'],
  too_many_requests: [
    'concurrent_runs',
    'request_bytes',
    'event_streams',
    'content_streams',
    'comparisons',
    'link_scans',
    'concurrent_requests',
    'cloud_requests',
    'actor_requests',
    'daily_pages',
    'monthly_pages',
    'cloud_pages',
    'free_results',
    'model_calls',
    'request_rate',
    'unknown_keys',
    'monitor_cap',
    'account_changes',
    'exports',
    'export_bytes',
    'batches',
  ],
  fetch_failed: [
    'dns',
    'connect',
    'proxy',
    'vendor',
    'tls',
    'timeout',
    'too_large',
    'too_many_redirects',
    'protocol',
    'blocked',
    'robots',
    'robots_disallowed',
    'action_failed',
  ],
} as const

export type Reason = (typeof reasons)[keyof typeof reasons][number]

export type FetchFailure = (typeof reasons.fetch_failed)[number]

/** Returns the reason of a failed fetch; `protocol` for one that the API does not list. */
export const fetchFailureOf = (reason: string): FetchFailure =>
  reasons.fetch_failed.find(known => known === reason) ?? 'protocol'
