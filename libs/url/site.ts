/** Finds the registrable domain of a host by the public suffix list. */
import { getDomain, getPublicSuffix } from 'tldts'

/**
 * Returns the registrable domain, also below private suffixes (`a.github.io` is its own site).
 * Addresses and single labels are their own site.
 * @param hostname Without port, in normal form.
 */
export function siteOf(hostname: string): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

/**
 * Returns whether a host is a public suffix, such as `co.uk` or `github.io`: the names below it have different owners.
 * Single labels are not public suffixes, because they are hosts in a private network.
 */
export const isPublicSuffix = (hostname: string): boolean =>
  hostname.includes('.') && getPublicSuffix(hostname, { allowPrivateDomains: true }) === hostname
