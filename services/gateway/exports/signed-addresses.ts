/**
 * Addresses of files that need no key: an HMAC over the export and the expiry, with the key of the installation. It is
 * checked before the export is read, so strangers cannot find out which exports exist. The signature begins with a hash
 * of the project and of the time of the request: an id that is used again after a restore does not match.
 */
import { hash } from 'node:crypto'
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
export type Signable = { id: number; projectId: number; createdAt: string }

export const signedAddresses = ({ secrets, publicUrl, seconds, now }: Ports) => ({
  addressOf(signable: Signable): string {
    const { id } = signable
    const hashed = hashOf(signable)
    const expires = Math.floor(now() / 1000) + seconds
    const query = new URLSearchParams({
      expires: String(expires),
      signature: hashed + secrets.sign(textOf(id, expires, hashed)),
    })
    return `${publicUrl()}/v1/exports/${id}/file?${query}`
  },

  /** Throws `ApiProblem`: 403 for a wrong signature, 410 for an address that has ended. */
  judge(exportId: number, { expires, signature }: Signed): void {
    const hashed = signature.slice(0, hashLength)
    if (!secrets.isSigned(textOf(exportId, expires, hashed), signature.slice(hashLength))) throw wrong()
    if (expires * 1000 <= now()) throw over(exportId)
  },
})

/** Returns whether an address that `judge` accepts is of this export. */
export const isSignatureOf = ({ signature }: Signed, signable: Signable): boolean =>
  signature.startsWith(hashOf(signable))

/** Digits of the hash, which the HMAC covers. */
const hashLength = 32
const hashOf = ({ id, projectId, createdAt }: Signable): string =>
  hash('sha256', `${id} ${projectId} ${createdAt}`).slice(0, hashLength)

const textOf = (exportId: number, expires: number, hashed: string) =>
  `export file ${exportId} until ${expires} of ${hashed}`

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
    message: `This address has expired. Read /v1/exports/${exportId} for a new one.`,
  })
