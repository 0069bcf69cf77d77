/** The setting of the services that time-stamp evidence: one reads it, the other sends the requests. */
import { Type } from 'typebox'

export const timeStampingSettings = {
  EVIDENCE_TSA_URL: Type.String({
    default: '',
    check: authorityFault,
    description:
      'Address of a Time-Stamp Authority (RFC 3161) that stamps the [evidence](evidence.md#time-stamps) of crawls, such as `http://timestamp.example.com`. It may be private. Set it for gateways and extractors. Unset: evidence has no time-stamps.',
  }),
}

function authorityFault(text: string): string | null {
  if (text === '') return null
  const { protocol = '', username, password, hash } = URL.parse(text) ?? {}
  const isAddress = /^https?:$/.test(protocol) && !username && !password && !hash
  return isAddress
    ? null
    : 'must be an address such as https://tsa.example.com/tsr, without a user or password'
}
