/**
 * Prometheus and its tool, for the tests of our rules: from Debian, unpacked beside the other servers and not installed.
 * Nobody who runs Tidemark needs them from here.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { unpack } from '../local/apt.ts'

const folder = 'prometheus'

export type Programs = { prometheus: string; promtool: string }

/** Fetches them where they are not in `bin` yet. Throws an Error that says why they cannot be had on this machine. */
export async function prometheusIn(
  bin: string,
  report: (line: string) => void = () => {},
): Promise<Programs> {
  const at = (name: string) => path.join(bin, folder, 'usr/bin', name)
  const programs = { prometheus: at('prometheus'), promtool: at('promtool') }
  const isThere = await fs.access(programs.promtool).then(
    () => true,
    () => false,
  )
  if (!isThere) await unpack([{ folder, suite: 'own', packages: ['prometheus'] }], bin, report)
  return programs
}
