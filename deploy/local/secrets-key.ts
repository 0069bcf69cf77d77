/**
 * The keys that customers' secrets are sealed with: given by SECRETS_KEY, or made once and kept beside the data. The
 * file has a key a line, the newest first; the others are kept to open what they sealed.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { nameOfKey } from '@tidemark/secrets/seal'
import { LaunchError } from './launch-error.ts'
import { missedKey, noteKeyFound } from './restored.ts'

/** As the services read them. */
export type SecretKeys = { SECRETS_KEY: string; SECRETS_KEYS_OLD: string }

/**
 * 32 bytes in hex each. A fresh one is announced loudly: whoever loses it loses what it sealed. Throws LaunchError where
 * a backup was brought back and none of them is the key that it was sealed with.
 */
export function secretKeys(dir: string, env: NodeJS.ProcessEnv, report: (line: string) => void): SecretKeys {
  const older = env.SECRETS_KEYS_OLD ?? ''
  demandKeyOfBackup(dir, [env.SECRETS_KEY ?? '', ...older.split(',')])
  if (env.SECRETS_KEY) return { SECRETS_KEY: env.SECRETS_KEY, SECRETS_KEYS_OLD: older }
  const [newest, ...kept] = readKeyFile(dir) ?? firstKey(dir, report)
  return { SECRETS_KEY: newest, SECRETS_KEYS_OLD: [...kept, older].filter(Boolean).join(',') }
}

export type KeyFile = [newest: string, ...older: string[]]

/** Null where there is none. Throws where it is empty, for another key would not open what is there. */
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

/** Whoever reads it, also after the machine has lost its power, finds these keys or those that were there before. */
export function writeKeyFile(dir: string, keys: KeyFile): void {
  const fresh = `${fileIn(dir)}.new`
  fs.rmSync(fresh, { force: true })
  fs.writeFileSync(fresh, keys.map(key => `${key}\n`).join(''), { mode: 0o600, flush: true })
  fs.renameSync(fresh, fileIn(dir))
  const folder = fs.openSync(dir, 'r')
  fs.fsyncSync(folder)
  fs.closeSync(folder)
}

export const makeKey = (): string => randomBytes(32).toString('hex')

const fileIn = (dir: string) => path.join(dir, 'secrets.key')

/** Another key would be made, and all would seem well until somebody waits for what is sealed. */
function demandKeyOfBackup(dir: string, given: string[]): void {
  const name = missedKey(dir)
  if (name === null) return
  const own = given[0] ? [] : (readKeyFile(dir) ?? [])
  const isThere = [...given, ...own].some(key => isKey.test(key.trim()) && nameOfKey(key.trim()) === name)
  if (!isThere)
    throw new LaunchError(
      'SETTINGS_BAD',
      `the restored data is encrypted with the key ${name}, which is missing. Put the secrets.key of the backup into ${dir}, or set SECRETS_KEY. If the key is lost, remove "secretsKey" from ${path.join(dir, 'restored.json')}. The data that it encrypted then stays unreadable.`,
    )
  noteKeyFound(dir)
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
