/**
 * All error codes and reasons of the API: the codes of the specification, the codes that it leaves open, and the
 * stable reasons of each code.
 */

/** Code → its HTTP status, and the default message. */
export const problems = {
  invalid_input: { status: 400, says: 'The request is not valid.' },
  invalid_signature: {
    status: 400,
    says: 'The signature does not match the body, or its timestamp is too old.',
  },
  unauthorized: { status: 401, says: 'Send a valid API key as "Authorization: Bearer <key>".' },
  not_found: { status: 404, says: 'There is no such resource.' },
  method_not_allowed: { status: 405, says: 'This path does not support the method.' },
  timeout: { status: 408, says: 'The work took longer than the time allowed.' },
  conflict: { status: 409, says: 'The resource is in a state that does not allow this.' },
  idempotency_key_reused: {
    status: 422,
    says: 'This Idempotency-Key was used before with another body. Send the same body, or another key.',
  },
  gone: { status: 410, says: 'The resource existed, and is no longer there.' },
  payload_too_large: { status: 413, says: 'The body exceeds the size limit of this endpoint.' },
  unsupported_media_type: { status: 415, says: 'Send a JSON body with "Content-Type: application/json".' },
  unsupported_input: { status: 422, says: 'This endpoint does not support this kind of input.' },
  name_taken: { status: 422, says: 'A project with this name exists. Choose another name.' },
  signup_rate_limited: { status: 422, says: 'A limit of sign-ups is reached. Try again later.' },
  challenge_failed: { status: 422, says: 'The challenge was not passed. Try again.' },
  headers_too_large: {
    status: 431,
    says: 'The URL and the headers together exceed the size limit.',
  },
  too_many_requests: { status: 429, says: 'A limit of this project is reached.' },
  internal: { status: 500, says: 'An internal error occurred. It is logged under this request id.' },
  fetch_failed: { status: 502, says: 'The target could not be fetched.' },
  not_ready: { status: 503, says: 'The service is starting, or a part of it is unavailable.' },
  unavailable: { status: 503, says: 'A part of the service is unavailable. Try again shortly.' },
  not_configured: { status: 503, says: 'This installation has no backend for that.' },
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
  conflict: [
    'idempotency_key_of_deleted_run',
    'idempotency_key_of_deleted_monitor',
    'idempotency_key_of_deleted_export',
    'run_active',
    'run_ended',
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
    'event_streams',
    'content_streams',
    'comparisons',
    'cloud_requests',
    'actor_requests',
    'daily_pages',
    'monthly_pages',
    'cloud_pages',
    'request_rate',
    'unknown_keys',
    'monitor_cap',
    'exports',
    'export_bytes',
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
  ],
} as const

export type Reason = (typeof reasons)[keyof typeof reasons][number]
