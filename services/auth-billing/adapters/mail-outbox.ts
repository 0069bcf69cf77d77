/**
 * Writes mails to files that any mail program opens, for installations without a mail server. The files contain API
 * keys in plain text, so only their owner can read them. A mail that is written twice is one file.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { messageOf, nameOf, type OutgoingMail } from './mail-message.ts'

/** Returns a function that writes a mail into the folder, which is created if it is missing. */
export function outboxSender(folder: string, from: string): (mail: OutgoingMail) => Promise<void> {
  return async mail => {
    const { createTransport } = await import('nodemailer')
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    const { message } = await composer.sendMail(messageOf(mail, from))
    await fs.mkdir(folder, { recursive: true, mode: 0o700 })
    await writeWhole(path.join(folder, fileName(mail)), message as Buffer)
  }
}

/** File names sort by the creation of the mails. */
const fileName = ({ key, createdAt }: OutgoingMail) =>
  `${createdAt.toISOString().replaceAll(':', '-')}-${nameOf(key).slice(0, 12)}.eml`

/** Writes a file atomically: a reader never sees a part of it, even after a power failure. */
async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const unfinished = `${file}.${process.pid}.part`
  await fs.writeFile(unfinished, bytes, { mode: 0o600, flush: true })
  await fs.rename(unfinished, file)
  const folder = await fs.open(path.dirname(file))
  await folder.sync().finally(() => folder.close())
}
