/**
 * Opens signed data (CMS, RFC 5652) with one signer, whose certificate is inside. It verifies the signature, not
 * whether the certificate is to be trusted: readers of the evidence decide which authorities they trust.
 */
import { constants, hash, verify, X509Certificate } from 'node:crypto'
import { context, DerError, DerReader, der, readOid, tags } from './der.ts'

const oids = {
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  forTimeStamps: '1.3.6.1.5.5.7.3.8',
} as const

const hashes: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

type Scheme = {
  /** Types of keys for this scheme. */
  keys: readonly (string | undefined)[]
  /** The hash that is signed. Default: the hash of the signer. */
  hash?: string
  padding?: { padding: number; saltLength: number }
}

const rsa = ['rsa']
/** Schemes by the algorithm of the signature. */
const schemes: Readonly<Record<string, Scheme>> = {
  '1.2.840.113549.1.1.1': { keys: rsa },
  '1.2.840.113549.1.1.11': { keys: rsa, hash: 'sha256' },
  '1.2.840.113549.1.1.12': { keys: rsa, hash: 'sha384' },
  '1.2.840.113549.1.1.13': { keys: rsa, hash: 'sha512' },
  '1.2.840.113549.1.1.10': {
    keys: ['rsa', 'rsa-pss'],
    padding: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO },
  },
  '1.2.840.10045.4.3.2': { keys: ['ec'], hash: 'sha256' },
  '1.2.840.10045.4.3.3': { keys: ['ec'], hash: 'sha384' },
  '1.2.840.10045.4.3.4': { keys: ['ec'], hash: 'sha512' },
}

const maxCertificates = 20
const maxSubject = 500

/** The content, and the subject of the certificate that signed it. */
export type Opened = { content: Buffer; subject: string }

/** @throws DerError if the bytes are not signed data of this type, or the signature is wrong */
export function openSignedData(bytes: Buffer, contentType: string): Opened {
  const info = new DerReader(bytes).enterLast(tags.sequence)
  expectOid(info, oids.signedData)
  const data = info.enterLast(context(0)).enterLast(tags.sequence)
  data.take(tags.integer)
  assertNames(data.enter(tags.set))
  const wrapped = data.enter(tags.sequence)
  expectOid(wrapped, contentType)
  const inner = wrapped.enterLast(context(0))
  const content = inner.take(tags.octets)
  inner.end()
  const certificates = data.optional(context(0))
  if (certificates === null) throw new DerError('the certificates are missing')
  data.optional(context(1))
  const signer = data.enterLast(tags.set).enterLast(tags.sequence)
  return { content, subject: signedBy(signer, { content, contentType, certificates }) }
}

/** Throws if algorithms have parameters, because no signature covers them, and anyone could add a forged time there. */
function assertNames(algorithms: DerReader): void {
  while (!algorithms.isAtEnd) {
    const algorithm = algorithms.enter(tags.sequence)
    algorithm.take(tags.oid)
    if ((algorithm.optional(tags.null) ?? '').length > 0) throw new DerError('a NULL has content')
    algorithm.end()
  }
}

type Signed = { content: Buffer; contentType: string; certificates: Buffer }

/** Returns the subject of the certificate that the signer names, if its key verifies the signature. */
function signedBy(signer: DerReader, { content, contentType, certificates }: Signed): string {
  signer.take(tags.integer)
  signer.next()
  const hashName = hashes[algorithmOf(signer)]
  if (hashName === undefined) throw new DerError('the signer uses an unknown hash')
  const attributes = signer.take(context(0))
  const algorithm = algorithmOf(signer)
  const signature = signer.take(tags.octets)
  signer.optional(context(1))
  signer.end()

  const { types, digests, isSigner } = readAttributes(attributes)
  if (types.length !== 1 || types[0] !== contentType) throw new DerError('the signer names another content')
  if (digests.length !== 1 || digests[0]?.equals(hash(hashName, content, 'buffer')) !== true)
    throw new DerError('the signer has signed another content')
  const scheme = schemes[algorithm]
  if (scheme === undefined) throw new DerError('the signature has an unknown algorithm')
  // A signature covers the attributes as a separate set, not as a part of the signer (RFC 5652, 5.4).
  const text = der(tags.set, attributes)
  const certificate = certificatesIn(certificates).find(isSigner)
  if (certificate === undefined)
    throw new DerError('the certificate of the signer, for time-stamps, is missing')
  if (!isSignedBy(certificate, { hash: hashName, ...scheme }, text, signature))
    throw new DerError('the signature is wrong')
  return certificate.subject.replace(/\p{Cc}+/gu, ', ').slice(0, maxSubject)
}

function isSignedBy(
  certificate: X509Certificate,
  { keys, padding, hash: name }: Required<Pick<Scheme, 'hash'>> & Scheme,
  text: Buffer,
  signature: Buffer,
): boolean {
  try {
    const { publicKey: key } = certificate
    return keys.includes(key.asymmetricKeyType) && verify(name, text, { key, ...padding }, signature)
  } catch {
    return false
  }
}

type Attributes = {
  types: string[]
  digests: Buffer[]
  /** Whether the signer names this certificate (RFC 5035). */
  isSigner: (certificate: X509Certificate) => boolean
}

function readAttributes(bytes: Buffer): Attributes {
  const found: Attributes = { types: [], digests: [], isSigner: () => false }
  const attributes = new DerReader(bytes)
  while (!attributes.isAtEnd) {
    const attribute = attributes.enter(tags.sequence)
    const name = readOid(attribute.take(tags.oid))
    const values = attribute.enterLast(tags.set)
    if (name === oids.contentType) found.types.push(readOid(values.take(tags.oid)))
    if (name === oids.messageDigest) found.digests.push(values.take(tags.octets))
    if (name === oids.signingCertificate) found.isSigner = named(values, 'sha1')
    if (name === oids.signingCertificateV2) found.isSigner = named(values, 'sha256')
  }
  return found
}

/** Reads the first identifier of a certificate, which is the signer's. Only the second version may name a hash. */
function named(values: DerReader, usualHash: 'sha1' | 'sha256'): Attributes['isSigner'] {
  const id = values.enter(tags.sequence).enter(tags.sequence).enter(tags.sequence)
  const algorithm = usualHash === 'sha1' ? null : id.optional(tags.sequence)
  const name = algorithm === null ? usualHash : hashes[readOid(new DerReader(algorithm).take(tags.oid))]
  const expected = id.take(tags.octets)
  return ({ raw }) => name !== undefined && hash(name, raw, 'buffer').equals(expected)
}

/**
 * Returns the certificates that may sign time-stamps. All others belong to superior authorities or have older forms.
 */
function certificatesIn(bytes: Buffer): X509Certificate[] {
  const certificates = new DerReader(bytes)
  const found: X509Certificate[] = []
  for (let n = 0; !certificates.isAtEnd; n++) {
    if (n >= maxCertificates) throw new DerError('there are too many certificates')
    const { tag, whole } = certificates.next()
    const certificate = tag === tags.sequence ? certificateOf(whole) : null
    if (certificate?.keyUsage?.includes(oids.forTimeStamps)) found.push(certificate)
  }
  return found
}

function certificateOf(bytes: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(bytes)
  } catch {
    return null
  }
}

/** Reads an AlgorithmIdentifier and returns its object identifier. */
export const algorithmOf = (reader: DerReader): string => readOid(reader.enter(tags.sequence).take(tags.oid))

function expectOid(reader: DerReader, expected: string): void {
  const found = readOid(reader.take(tags.oid))
  if (found !== expected) throw new DerError(`${found} stands where ${expected} is expected`)
}
