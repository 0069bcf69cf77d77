/**
 * Addresses of files that need no key: an HMAC over the export and the end of the address, with the key of the
 * installation. An unknown export and a wrong signature look equal.
 */
import type { Sealer } from '@tidemark/secrets/seal'
import { ApiProblem } from '../http/domain/problem.ts'

type Ports = {
  secrets: Pick<Sealer, 'sign' | 'isSigned'>
  publicUrl: () => string
  /** Lifetime. */
  seconds: number
  now: () => number
}

export type Signed = { expires: number; signature: string }

export const signedAddresses = ({ secrets, publicUrl, seconds, now }: Ports) => ({
  addressOf(exportId: number): string {
    const expires = Math.floor(now() / 1000) + seconds
    const query = new URLSearchParams({
      expires: String(expires),
      signature: secrets.sign(textOf(exportId, expires)),
    })
    return `${publicUrl()}/v1/exports/${exportId}/file?${query}`
  },

  /** Throws `ApiProblem`: 403 for a wrong signature, 410 for an address that has ended. */
  judge(exportId: number, { expires, signature }: Signed): void {
    if (!secrets.isSigned(textOf(exportId, expires), signature)) throw wrong()
    if (expires * 1000 <= now()) throw over(exportId)
  },
})

const textOf = (exportId: number, expires: number) => `export file ${exportId} until ${expires}`

const forbidden = 403

const wrong = () =>
  new ApiProblem('invalid_signature', {
    status: forbidden,
    field: 'signature',
    message: 'The signature does not match this address. Use download_url of the export unchanged.',
  })

const over = (exportId: number) =>
  new ApiProblem('gone', {
    reason: 'address_expired',
    field: 'expires',
    message: `This address has ended. Read /v1/exports/${exportId} for a new one.`,
  })
