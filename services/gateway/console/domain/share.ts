/**
 * A share of a crawl: read-only access without a key, for a limited time. Its address contains the sealed share, so
 * clients can neither read nor change it. Only the times at which shares were ended are stored.
 */

/** `prefix` names the key that made the share; `at` and `until` are milliseconds since 1970. */
export type Share = { projectId: number; runId: number; prefix: string; at: number; until: number }

/** This text is sealed with each share, so that no other sealed text is accepted as a share. */
const type = 'share of a crawl'

/** Returns the share as text for an address. */
export const sealedShare = (share: Share, { seal }: { seal: (text: string) => string }): string =>
  seal(JSON.stringify({ type, ...share }))

/**
 * Returns the share of a sealed text, also of one that has ended; null: the text was not made here, or was changed. `open`
 * throws if the text was not sealed here.
 */
export function openedShare(sealed: string, { open }: { open: (sealed: string) => string }): Share | null {
  if (!isCanonical(sealed)) return null
  try {
    // Older shares lack `at`. They count as made before every end of shares.
    const { type: found, at = 0, ...share } = JSON.parse(open(sealed)) as Share & { type?: string }
    return found === type ? { ...share, at } : null
  } catch {
    return null
  }
}

/** The last digit of base64url may have unused bits. Only one text of each share is accepted. */
function isCanonical(sealed: string): boolean {
  const text = sealed.slice(sealed.lastIndexOf('.') + 1)
  return Buffer.from(text, 'base64url').toString('base64url') === text
}

/** Routes of one run that bill nothing and have no settings of the crawl. All others are closed to shares. */
const ofRun = new Set([
  '/v1/crawls/:id',
  '/v1/crawls/:id/pages',
  '/v1/crawls/:id/coverage',
  '/v1/crawls/:id/errors',
  '/v1/crawls/:id/explain',
  '/v1/crawls/:id/links',
  '/v1/crawls/:id/orphans',
])
const ofPage = '/v1/pages/:id'
const ofDiff = new Set(['/v1/crawls/:old_id/diff/:new_id', '/v1/crawls/:old_id/diff/:new_id/page'])

export type SharedRead = { route: string | undefined; params: unknown; query: unknown }

/** The facts that decide whether a request belongs to the run. */
export type RunFacts = {
  /** Returns the run of a page, or null. */
  runOfPage: (pageId: number) => Promise<number | null>
  /** Returns the previous run of the run, or null. */
  previousRun: () => Promise<number | null>
}

/**
 * Returns whether a share of this run may read a route with these parameters: the run, its pages, and its difference to
 * its previous run. Words of a language model are billed, so a share may not request them.
 */
export async function mayRead(
  runId: number,
  { route = '', params, query }: SharedRead,
  { runOfPage, previousRun }: RunFacts,
): Promise<boolean> {
  const { id, old_id, new_id } = params as { id?: number; old_id?: number; new_id?: number }
  if (ofRun.has(route)) return id === runId
  if (route === ofPage) return id !== undefined && (await runOfPage(id)) === runId
  if (!ofDiff.has(route) || new_id !== runId) return false
  return (query as { in_words?: string }).in_words !== 'true' && (await previousRun()) === old_id
}

/** Fields of a run about the settings of its owner, with the values that readers of a share receive. */
const withheld = { proxy_url: null, webhook_status: null, webhook_attempts: 0, webhook_last_error: null }

const ofLogin = new Set(['login_failed', 'logged_out'])
const loginMessage = 'The login of the crawl failed, or was lost.'

/** Returns an answer without the proxy, the webhook, and the sentence of a login, which names its steps. */
export function withoutSettings(answer: object): object {
  const { error_reason } = answer as { error_reason?: string | null }
  const hidden = Object.entries(withheld).filter(([name]) => name in answer)
  const isOfLogin = typeof error_reason === 'string' && ofLogin.has(error_reason)
  return {
    ...answer,
    ...Object.fromEntries(hidden),
    ...(isOfLogin && 'error_message' in answer && { error_message: loginMessage }),
  }
}
