/**
 * Provides the keys that seal customers' secrets: from SECRETS_KEY, or created once and stored beside the data. The
 * file has one key per line, the newest first. The older ones open older values.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { secretKeyId } from '@tidemark/secrets/seal'
import { writeDurably } from './durable-file.ts'
import { LaunchError } from './launch-error.ts'
import { missingKey, recordKeyFound } from './restored.ts'

/** Keys in the form in which the services read them. */
export type SecretKeys = { SECRETS_KEY: string; SECRETS_KEYS_OLD: string }

/**
 * Returns the keys, 32 bytes in hex each. Creates the first key, and reports that, because a lost key makes everything
 * that it sealed unreadable. Throws LaunchError if a backup was restored and the key that sealed it is missing.
 */
export function secretKeys(dir: string, env: NodeJS.ProcessEnv, report: (line: string) => void): SecretKeys {
  const older = env.SECRETS_KEYS_OLD ?? ''
  demandKeyOfBackup(dir, [env.SECRETS_KEY ?? '', ...older.split(',')])
  if (env.SECRETS_KEY) return { SECRETS_KEY: env.SECRETS_KEY, SECRETS_KEYS_OLD: older }
  const [newest, ...kept] = readKeyFile(dir) ?? firstKey(dir, report)
  return { SECRETS_KEY: newest, SECRETS_KEYS_OLD: [...kept, older].filter(Boolean).join(',') }
}

export type KeyFile = [newest: string, ...older: string[]]

/**
 * Returns the keys of the file; null: there is no file. Throws if it is empty, because another key would not open the
 * sealed values.
 */
export function readKeyFile(dir: string): KeyFile | null {
  const file = fileIn(dir)
  if (!fs.existsSync(file)) return null
  const [newest, ...older] = fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
  if (newest === undefined) throw new Error(`${file} contains no key: restore it from a copy.`)
  return [newest, ...older]
}

/** Replaces the file atomically. */
export const writeKeyFile = (dir: string, keys: KeyFile): void =>
  writeDurably(fileIn(dir), keys.map(key => `${key}\n`).join(''))

export const makeKey = (): string => randomBytes(32).toString('hex')

const fileIn = (dir: string) => path.join(dir, 'secrets.key')

/**
 * Throws LaunchError if the key of a restored backup is missing. Otherwise another key would be created, and the error
 * would be noticed only when a sealed value is needed.
 */
function demandKeyOfBackup(dir: string, given: string[]): void {
  const name = missingKey(dir)
  if (name === null) return
  const own = given[0] ? [] : (readKeyFile(dir) ?? [])
  const isThere = [...given, ...own].some(key => isKey.test(key.trim()) && secretKeyId(key.trim()) === name)
  if (!isThere)
    throw new LaunchError(
      'SETTINGS_BAD',
      `the restored data is encrypted with the key ${name}, which is missing. Put the secrets.key of the backup into ${dir}, or set SECRETS_KEY. If the key is lost, remove "secretsKey" from ${path.join(dir, 'restored.json')}. The data that it encrypted then stays unreadable.`,
    )
  recordKeyFound(dir)
}

const isKey = /^[0-9a-f]{64}$/i

function firstKey(dir: string, report: (line: string) => void): KeyFile {
  const keys: KeyFile = [makeKey()]
  writeKeyFile(dir, keys)
  report(`!! A key that encrypts customers' secrets was created: ${fileIn(dir)}`)
  report(
    '!! Keep a copy: without it, stored headers, cookies and webhook secrets cannot be read. Or set SECRETS_KEY.',
  )
  return keys
}
