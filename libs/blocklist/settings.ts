/** Settings of the blocklist, equal for all its readers. */
import { Type } from 'typebox'

export const blocklistSettings = {
  BLOCKLIST: Type.String({
    default: '',
    description:
      'List of hosts that are never contacted, with their subdomains: a file or an http(s) address, in the format of hosts files or with one host per line. A short list of test hosts is always active.',
  }),
  BLOCKLIST_REFRESH: Type.Integer({
    default: 3600,
    minimum: 1,
    maximum: 2_000_000,
    description: 'Seconds after which BLOCKLIST is read again. If it cannot be read, the last list stays.',
  }),
}
