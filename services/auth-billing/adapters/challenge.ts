/**
 * Verifies the token of a challenge (Turnstile's siteverify or a compatible service). The operator configures the
 * address, so it is not guarded like addresses of clients. Without a response no signup passes.
 */

type Challenge = { secret: string; url: string }

/** Returns whether the token is valid. Rejects when it cannot be verified now. */
export type PassesChallenge = (token: string | null, clientIp: string) => Promise<boolean>

const timeoutMs = 5_000
/** Error codes for a fault of the configuration or of the service, not of the token. */
const serviceFaults = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'bad-request',
  'internal-error',
])

/** Returns the check of tokens. If no secret is set, every signup passes. */
export function challengeBy({ secret, url }: Challenge): PassesChallenge {
  if (secret === '') return async () => true
  return async (token, clientIp) => {
    if (token === null || token === '') return false
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, remoteip: clientIp }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer = (await response.json()) as { success?: unknown; 'error-codes'?: unknown }
    const codes = [answer?.['error-codes'] ?? []].flat()
    const fault = codes.find(code => serviceFaults.has(String(code)))
    if (typeof answer?.success !== 'boolean' || fault !== undefined)
      throw new Error(`the challenge cannot be verified: ${response.status} ${fault ?? ''}`)
    return answer.success
  }
}
