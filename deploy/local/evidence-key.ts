/**
 * Provides the key that signs evidence of crawls: from EVIDENCE_KEY, or created once and stored beside the data. If the
 * file is lost, the next start creates another key, and older evidence verifies only by a copy of its public key.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { writeDurably } from './durable-file.ts'
import { LaunchError } from './launch-error.ts'

/**
 * Returns the key in the form in which the gateway reads it: the seed of an Ed25519 key, in base64. Throws LaunchError if the
 * file is empty, because the gateway would sign no evidence.
 */
export function evidenceKey(dir: string, env: NodeJS.ProcessEnv): string {
  if (env.EVIDENCE_KEY) return env.EVIDENCE_KEY
  const file = path.join(dir, 'evidence.key')
  if (fs.existsSync(file)) return readKey(file)
  const key = randomBytes(32).toString('base64')
  writeDurably(file, `${key}\n`)
  return key
}

function readKey(file: string): string {
  const key = fs.readFileSync(file, 'utf8').trim()
  if (key !== '') return key
  throw new LaunchError(
    'SETTINGS_BAD',
    `${file} is empty. Restore it from a copy. Without a copy remove it: the next start creates another key.`,
  )
}
