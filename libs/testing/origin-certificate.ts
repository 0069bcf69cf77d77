/**
 * Creates a certificate for a test site at runtime, so that the repository contains no key and no certificate that
 * expires: self-signed, ECDSA P-256, for the given names and addresses (X.509 v3, RFC 5280, in DER).
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import net from 'node:net'

const oids = { ecdsaWithSha256: '2a8648ce3d040302', commonName: '550403', subjectAltName: '551d11' }
const dayMs = 86_400_000

/**
 * @param names host names and IPv4 addresses of the certificate
 * @param days validity from now; it began yesterday
 * @returns both in PEM; the certificate is its own authority (`ca`)
 */
export function selfSigned(names: string[], days = 10): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = toBeSigned(names, days, publicKey.export({ type: 'spki', format: 'der' }))
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(body, algorithm(), bits(signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

function toBeSigned(names: string[], days: number, publicKey: Buffer): Buffer {
  const version3 = der(0xa0, der(0x02, Buffer.of(2)))
  const serial = der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)]))
  const name = sequence(der(0x31, sequence(oid(oids.commonName), der(0x0c, Buffer.from('test site')))))
  const validity = sequence(time(Date.now() - dayMs), time(Date.now() + days * dayMs))
  const alternatives = sequence(oid(oids.subjectAltName), der(0x04, sequence(...names.map(alternative))))
  const extensions = der(0xa3, sequence(alternatives))
  return sequence(version3, serial, algorithm(), name, validity, name, publicKey, extensions)
}

const algorithm = () => sequence(oid(oids.ecdsaWithSha256))
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const bits = (content: Buffer) => der(0x03, Buffer.of(0), content)
/** Encodes a time with a year of two digits, as required before 2050 (RFC 5280, 4.1.2.5). */
const time = (ms: number) =>
  der(
    0x17,
    Buffer.from(
      new Date(ms)
        .toISOString()
        .slice(2)
        .replace(/[-:T]|\.\d+/g, ''),
    ),
  )

const alternative = (name: string) =>
  net.isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name))

/** Returns the tag, the length in the fewest bytes, and the content; lengths up to 65,535. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), content])
  if (length < 256) return Buffer.concat([Buffer.of(tag, 0x81, length), content])
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 255), content])
}
