/**
 * Programs that only tests need. They come from Debian packages, are unpacked beside the servers and are not installed.
 * Running Tidemark does not need them.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { type Bundle, unpack } from '../deploy/local/servers/apt.ts'
import { binFolder } from '../deploy/local/servers/binaries.ts'

type Report = (line: string) => void

const programs = {
  /** Two proxies with a login: over HTTP, and over SOCKS 5. */
  tinyproxy: { folder: 'tinyproxy', suite: 'own', packages: ['tinyproxy-bin'] },
  microsocks: { folder: 'microsocks', suite: 'own', packages: ['microsocks'] },

  /** Prometheus with promtool, which checks our rules and dashboards. */
  prometheus: { folder: 'prometheus', suite: 'own', packages: ['prometheus'] },

  /**
   * Tests which connections work through a pooler. Versions before 1.21 do not support prepared statements, so this one
   * comes from a later Debian with its libraries, down to the C library.
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
   * OpenStack Swift, which stores bodies behind an S3 interface. Debian packages no other store for production that is
   * as small (6 MB). It runs on Debian's python3; the other packages are its Python dependencies.
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
  /** Packages for the tests of the Python SDK, which run on Debian's python3. Only mypy has compiled parts. */
  pythonSdk: {
    folder: 'python-sdk',
    suite: 'own',
    packages: [
      'python3-anyio',
      'python3-attr',
      'python3-certifi',
      'python3-exceptiongroup',
      'python3-h11',
      'python3-httpcore',
      'python3-httpx',
      'python3-idna',
      'python3-iniconfig',
      'python3-installer',
      'python3-more-itertools',
      'python3-mypy',
      'python3-mypy-extensions',
      'python3-packaging',
      'python3-pkg-resources',
      'python3-pluggy',
      'python3-py',
      'python3-pytest',
      'python3-rfc3986',
      'python3-setuptools',
      'python3-sniffio',
      'python3-tomli',
      'python3-typing-extensions',
      'python3-wheel',
    ],
  },
  /**
   * A validator of OpenAPI documents that is not written in JavaScript, with its Python. Debian 12 has neither the
   * validator nor a Python that runs its compiled parts. With the C library, as above.
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

/** Calls in a test file that need the program. */
const calls: Record<keyof typeof programs, string> = {
  tinyproxy: 'proxyProgram(',
  microsocks: 'proxyProgram(',
  prometheus: 'prometheusIn(',
  pgbouncer: 'pgbouncerIn(',
  swift: 'startObjectStore(',
  pythonSdk: 'pythonPackagesIn(',
  openapiValidator: 'pythonIn(',
}

/** Returns the programs that a test file with this text needs. */
export const programsOf = (text: string): Bundle[] =>
  (Object.keys(calls) as (keyof typeof programs)[])
    .filter(name => text.includes(calls[name]))
    .map(name => programs[name])

/** Fetches the programs that are missing. The lists of packages are read only once. */
export async function fetchPrograms(bundles: Iterable<Bundle>, bin: string, report: Report): Promise<void> {
  const missing: Bundle[] = []
  for (const bundle of new Set(bundles)) if (!(await isIn(bin, bundle))) missing.push(bundle)
  if (missing.length > 0) await unpack(missing, bin, report)
}

const isIn = (bin: string, { folder }: Bundle): Promise<boolean> =>
  fs.access(path.join(bin, folder)).then(
    () => true,
    () => false,
  )

/**
 * Returns the program's folder and fetches the program if `bin` does not have it. Throws an Error with the reason when
 * this machine cannot have it.
 */
async function folderOf(bundle: Bundle, bin: string, report: Report = () => {}): Promise<string> {
  await fetchPrograms([bundle], bin, report)
  return path.join(bin, bundle.folder)
}

/** Returns the folder of Swift in `bin` and fetches it if missing. Throws an Error with the reason when that fails. */
export const swiftIn = (bin: string, report: Report): Promise<string> => folderOf(programs.swift, bin, report)

/**
 * Returns the folder of Python packages for the tests of the Python SDK, and fetches it if missing. Throws an Error
 * with the reason when that fails.
 */
export async function pythonPackagesIn(bin: string): Promise<string> {
  return path.join(await folderOf(programs.pythonSdk, bin), 'usr/lib/python3/dist-packages')
}

/** Returns the path of a proxy, and fetches it if it is missing. Throws an Error with the reason when that fails. */
export async function proxyProgram(name: 'tinyproxy' | 'microsocks'): Promise<string> {
  const bin = binFolder(process.env, path.join(import.meta.dirname, '../.tidemark'))
  return path.join(await folderOf(programs[name], bin), 'usr/bin', name)
}

/**
 * Returns the paths of both programs and fetches them if `bin` does not have them. Throws an Error with the reason when
 * that fails.
 */
export async function prometheusIn(bin: string): Promise<{ prometheus: string; promtool: string }> {
  const at = await folderOf(programs.prometheus, bin)
  return { prometheus: path.join(at, 'usr/bin/prometheus'), promtool: path.join(at, 'usr/bin/promtool') }
}

/**
 * Returns the command that starts PgBouncer and fetches it if `bin` does not have it. Throws an Error with the reason
 * when that fails.
 */
export async function pgbouncerIn(bin: string): Promise<string[]> {
  return withLibraries(await folderOf(programs.pgbouncer, bin), 'usr/sbin/pgbouncer')
}

/**
 * Returns the command of a Python that has `openapi_spec_validator` and ignores settings of the machine. Fetches it if
 * `bin` does not have it. Throws an Error with the reason when that fails.
 */
export async function pythonIn(bin: string): Promise<string[]> {
  return [...withLibraries(await folderOf(programs.openapiValidator, bin), 'usr/bin/python3.13'), '-I']
}

/** Returns the command that starts a program with the libraries of its own folder instead of the machine's. */
function withLibraries(at: string, program: string): string[] {
  const libraries = path.join(at, 'usr/lib/x86_64-linux-gnu')
  return [path.join(libraries, 'ld-linux-x86-64.so.2'), '--library-path', libraries, path.join(at, program)]
}
