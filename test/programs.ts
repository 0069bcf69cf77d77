/**
 * Programs that tests alone need: from Debian, unpacked beside the servers and not installed. Nobody who runs Tidemark needs
 * them from here.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { type Bundle, unpack } from '../deploy/local/servers/apt.ts'

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
  /**
   * A validator of OpenAPI documents that is none of JavaScript's, and its Python: Debian 12 has neither the validator nor
   * a Python that its compiled parts run on. With the C library, as above.
   */
  openapiValidator: {
    folder: 'openapi-spec-validator-0.7',
    suite: 'trixie',
    packages: [
      'libc6',
      'libexpat1',
      'libpython3.13-minimal',
      'libpython3.13-stdlib',
      'libyaml-0-2',
      'python3-attr',
      'python3-jsonschema',
      'python3-jsonschema-path',
      'python3-jsonschema-specifications',
      'python3-lazy-object-proxy',
      'python3-openapi-schema-validator',
      'python3-openapi-spec-validator',
      'python3-pathable',
      'python3-referencing',
      'python3-rfc3339-validator',
      'python3-rpds-py',
      'python3-six',
      'python3-yaml',
      'python3.13-minimal',
      'zlib1g',
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
  return withLibraries(await folderOf(programs.pgbouncer, bin), 'usr/sbin/pgbouncer')
}

/**
 * The command that starts a Python which has `openapi_spec_validator` and reads no setting of the machine, fetched where it
 * is not in `bin` yet. Throws an Error that says why it cannot be had.
 */
export async function pythonIn(bin: string): Promise<string[]> {
  return [...withLibraries(await folderOf(programs.openapiValidator, bin), 'usr/bin/python3.13'), '-I']
}

/** The command that starts a program with the libraries that lie beside it, and none of the machine's. */
function withLibraries(at: string, program: string): string[] {
  const libraries = path.join(at, 'usr/lib/x86_64-linux-gnu')
  return [path.join(libraries, 'ld-linux-x86-64.so.2'), '--library-path', libraries, path.join(at, program)]
}
