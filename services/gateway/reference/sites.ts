/** Why a site is not asked, or does not answer. */

export const badSite = ['bad_url', 'private_address', 'blocked_domain'] as const
export const unreachable = ['dns', 'connect', 'tls', 'timeout', 'too_large', 'too_many_redirects'] as const
