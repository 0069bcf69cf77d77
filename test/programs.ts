/**
 * Programs that tests alone need: from Debian, unpacked beside the servers and not installed. Nobody who runs Tidemark needs
 * them from here.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { type Bundle, unpack } from '../deploy/local/apt.ts'

type Report = (line: string) => void

const programs = {
  /** With its tool, for our rules and dashboards. */
  prometheus: { folder: 'prometheus', suite: 'own', packages: ['prometheus'] },

  /**
   * For what may go through a pooler. With its libraries, down to the C library: before 1.21 it knows nothing of prepared
   * statements.
   */
  pgbouncer: {
    folder: 'pgbouncer-1.24',
    suite: 'trixie',
    packages: [
      'pgbouncer',
      'libaudit1',
      'libc6',
      'libcap-ng0',
      'libcap2',
      'libcares2',
      'libevent-2.1-7t64',
      'libpam0g',
      'libssl3t64',
      'libsystemd0',
      'libzstd1',
      'zlib1g',
    ],
  },

  /**
   * OpenStack Swift, for bodies in S3. Of what Debian has it is the one that is a store of production and 6 MB small; it runs
   * on the python3 of Debian, and this is what it needs of Python beside.
   */
  swift: {
    folder: 'swift',
    suite: 'own',
    packages: [
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
    ],
  },
} as const satisfies Record<string, Bundle>

/** Its folder, fetched where it is not in `bin` yet. Throws an Error that says why it cannot be had on this machine. */
async function folderOf(bundle: Bundle, bin: string, report: Report = () => {}): Promise<string> {
  const at = path.join(bin, bundle.folder)
  const isThere = await fs.access(at).then(
    () => true,
    () => false,
  )
  if (!isThere) await unpack([bundle], bin, report)
  return at
}

/** The folder of Swift in `bin`, fetched where it is not there yet. Throws an Error that says why it cannot be had. */
export const swiftIn = (bin: string, report: Report): Promise<string> => folderOf(programs.swift, bin, report)

/** Both are fetched where they are not in `bin` yet. Throws an Error that says why they cannot be had. */
export async function prometheusIn(bin: string): Promise<{ prometheus: string; promtool: string }> {
  const at = await folderOf(programs.prometheus, bin)
  return { prometheus: path.join(at, 'usr/bin/prometheus'), promtool: path.join(at, 'usr/bin/promtool') }
}

/** The command that starts it, fetched where it is not in `bin` yet. Throws an Error that says why it cannot be had. */
export async function pgbouncerIn(bin: string): Promise<string[]> {
  const at = await folderOf(programs.pgbouncer, bin)
  const libraries = path.join(at, 'usr/lib/x86_64-linux-gnu')
  const program = path.join(at, 'usr/sbin/pgbouncer')
  return [path.join(libraries, 'ld-linux-x86-64.so.2'), '--library-path', libraries, program]
}
