/**
 * PgBouncer, for the test of what may go through it: from Debian, unpacked beside the other servers and not installed.
 * Nobody who runs Tidemark needs it from here.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { unpack } from '../local/apt.ts'

const folder = 'pgbouncer-1.24'
/** With its libraries, down to the C library: before 1.21 it knows nothing of prepared statements. */
const packages = [
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
]

/**
 * The command that starts it. Fetches it where it is not in `bin` yet; throws an Error that says why it cannot be had on
 * this machine.
 */
export async function pgbouncerIn(bin: string, report: (line: string) => void = () => {}): Promise<string[]> {
  const program = path.join(bin, folder, 'usr/sbin/pgbouncer')
  const libraries = path.join(bin, folder, 'usr/lib/x86_64-linux-gnu')
  const isThere = await fs.access(program).then(
    () => true,
    () => false,
  )
  if (!isThere) await unpack([{ folder, suite: 'trixie', packages }], bin, report)
  return [path.join(libraries, 'ld-linux-x86-64.so.2'), '--library-path', libraries, program]
}
