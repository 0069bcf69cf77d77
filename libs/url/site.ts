/** The registrable domain of a host, which a customer's headers and cookies never leave. */
import { getDomain, getPublicSuffix } from 'tldts'

/**
 * Returns the registrable domain by the public suffix list, with private suffixes (`a.github.io` is its own site).
 * Addresses and single labels are their own site.
 * @param hostname Without port, in normal form.
 */
export function siteOf(hostname: string): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

/**
 * Returns whether others register their names below a host, such as `co.uk` or `github.io`. Single labels are not
 * public suffixes: in a private network they are hosts.
 */
export const isPublicSuffix = (hostname: string): boolean =>
  hostname.includes('.') && getPublicSuffix(hostname, { allowPrivateDomains: true }) === hostname
