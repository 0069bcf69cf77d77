/** What can be set of the blocklist: the same for all who ask it. */
import { Type } from 'typebox'

export const blocklist = {
  BLOCKLIST: Type.String({
    default: '',
    description:
      'List of hosts that are never asked for anything, nor their subdomains: a file, or an http(s) address, in the format of hosts files or one host a line. A short list of test hosts is always in force.',
  }),
  BLOCKLIST_REFRESH: Type.Integer({
    default: 3600,
    minimum: 1,
    maximum: 2_000_000,
    description: 'Seconds after which BLOCKLIST is read again. The last list stays while it cannot be read.',
  }),
}
