/** The keys of an instance in its backup: the files that are copied, and the name of the key that encrypts secrets. */
import fs from 'node:fs'
import path from 'node:path'
import { secretKeyId } from '@tidemark/secrets/seal'
import { readRunFile } from '../../local/run-file.ts'
import { readKeyFile } from '../../local/secrets-key.ts'
import { AdminError } from '../admin-error.ts'
import { namedServers } from '../reach-instance.ts'

const secretsFile = 'secrets.key'
/** The keys that decrypt secrets and sign evidence, and the first project's API key. The files are unencrypted. */
const keyFiles = [secretsFile, 'evidence.key', 'first-key.json']

/**
 * Returns the key files of the folder. Throws AdminError if the key that encrypts secrets is not among them, because the
 * lack of the key would be noticed only at the restore.
 * @param name of the key that encrypts secrets; null if it is unknown
 */
export function keyFilesOf(dir: string, name: string | null): string[] {
  const keys = readable(() => readKeyFile(dir)?.map(secretKeyId))
  if (keys === undefined || (name !== null && !keys.includes(name)))
    throw new AdminError(
      `There is no ${secretsFile} in ${dir}${name === null ? '' : ` with the key ${name}`}, so --with-keys cannot save the key. Name the folder that has it in TIDEMARK_DIR. If SECRETS_KEY is set for the services, store that value elsewhere and leave out --with-keys.`,
    )
  return keyFiles.filter(file => fs.existsSync(path.join(dir, file)))
}

/**
 * Returns the name of the key that encrypts secrets: of the running instance, of SECRETS_KEY, or of the folder; null if
 * none of them names one.
 */
export function nameOfSecretsKey(dir: string): string | null {
  const running = namedServers() === null ? readRunFile(dir)?.secrets_key : undefined
  if (running !== undefined) return running
  const key = process.env.SECRETS_KEY || readable(() => readKeyFile(dir)?.[0])
  return key ? readable(() => secretKeyId(key)) : null
}

function readable<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw new AdminError(
      `SECRETS_KEY or ${secretsFile} is invalid: ${(error as Error).message} Set the key of the services.`,
    )
  }
}
