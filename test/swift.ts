/**
 * OpenStack Swift for the tests of bodies in S3: from Debian, unpacked beside the other servers and not installed. Of what
 * Debian has it is the one that is a store of production and 6 MB small; it runs on the python3 of Debian.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { unpack } from '../deploy/local/apt.ts'

const folder = 'swift'

/** Swift, and what it needs of Python beside Python itself. */
const packages = [
  'liberasurecode1',
  'python3-certifi',
  'python3-cffi-backend',
  'python3-chardet',
  'python3-charset-normalizer',
  'python3-cryptography',
  'python3-dnspython',
  'python3-eventlet',
  'python3-greenlet',
  'python3-idna',
  'python3-lxml',
  'python3-netifaces',
  'python3-openssl',
  'python3-paste',
  'python3-pastedeploy',
  'python3-pkg-resources',
  'python3-pyeclib',
  'python3-requests',
  'python3-six',
  'python3-swift',
  'python3-urllib3',
  'python3-xattr',
]

/** Its folder, fetched where it is not in `bin` yet. Throws an Error that says why it cannot be had on this machine. */
export async function swiftIn(bin: string, report: (line: string) => void): Promise<string> {
  const at = path.join(bin, folder)
  const isThere = await fs.access(at).then(
    () => true,
    () => false,
  )
  if (!isThere) await unpack([{ folder, suite: 'own', packages }], bin, report)
  return at
}
