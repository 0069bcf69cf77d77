/**
 * Asks whoever made a challenge whether its token is good (Turnstile's siteverify, and those alike). The operator
 * named the address, so it is not a stranger's and is not guarded as such. Where no answer comes, nobody passes.
 */

export type Challenge = { secret: string; url: string; timeoutMs?: number }

/** Whether the token is good. Throws when nobody can tell now. */
export type PassesChallenge = (token: string | null, clientIp: string) => Promise<boolean>

const usualTimeoutMs = 5_000
/** What is wrong is then ours, or theirs, and not the token. */
const ours = new Set(['missing-input-secret', 'invalid-input-secret', 'bad-request', 'internal-error'])

/** Without a secret nobody is challenged. */
export function challengeBy({ secret, url, timeoutMs = usualTimeoutMs }: Challenge): PassesChallenge {
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
    const fault = codes.find(code => ours.has(String(code)))
    if (typeof answer?.success !== 'boolean' || fault !== undefined)
      throw new Error(`the challenge cannot be verified: ${response.status} ${fault ?? ''}`)
    return answer.success
  }
}
