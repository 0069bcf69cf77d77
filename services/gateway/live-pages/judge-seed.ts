/** Checks whether a site may be requested, before anything is fetched. */
import { refusal } from '../http/domain/refusal.ts'

export type SeedPorts = {
  /** Throws `ApiProblem` for an address that must not be requested. */
  judgeTarget: (url: string, field?: string) => Promise<void>
  /** Returns the entry of the blocklist that covers a URL's host, or null. */
  findBlocked: (url: string) => string | null
}

/**
 * Resolves if the site may be requested. Throws `ApiProblem` (`blocked_domain`, `bad_url`, `private_address`)
 * otherwise.
 */
export async function judgeSeed({ findBlocked, judgeTarget }: SeedPorts, url: string): Promise<void> {
  const entry = findBlocked(url)
  if (entry !== null) throw refusal('url', 'blocked_domain', isBlocked(entry))
  await judgeTarget(url)
}

/**
 * Checks the hosts of further URLs of the site. The fetcher refuses private addresses among them.
 * @throws ApiProblem `blocked_domain` with the first URL whose host is on the blocklist
 */
export function judgeListed({ findBlocked }: Pick<SeedPorts, 'findBlocked'>, urls: readonly string[]): void {
  const hosts = new Set<string>()
  for (const [n, url] of urls.entries()) {
    const { host } = new URL(url)
    const entry = hosts.has(host) ? null : findBlocked(url)
    if (entry !== null) throw refusal(`urls[${n}]`, 'blocked_domain', isBlocked(entry))
    hosts.add(host)
  }
}

const isBlocked = (entry: string) =>
  `${entry} and all its subdomains are on the list of malicious hosts of this installation, and are not crawled.`
