/** The registrable domain of a host: the border that a customer's headers and cookies do not cross. */
import { getDomain, getPublicSuffix } from 'tldts'

/**
 * The registrable domain by the public suffix list, private suffixes included (`a.github.io` is its own
 * site). Addresses and single labels are their own site.
 * @param hostname Without port, in normal form.
 */
export function siteOf(hostname: string): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

/**
 * Whether a host is a public suffix, such as `co.uk` or `github.io`. Single labels are not: in a private network they
 * are hosts.
 */
export const isPublicSuffix = (hostname: string): boolean =>
  hostname.includes('.') && getPublicSuffix(hostname, { allowPrivateDomains: true }) === hostname
