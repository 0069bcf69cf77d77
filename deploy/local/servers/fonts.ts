/**
 * Provides fonts for screenshots, on machines without fonts for every script. They come from Debian packages that are
 * downloaded in the background and unpacked beside the browser, not installed. No start waits for them.
 */
import fs from 'node:fs'
import path from 'node:path'
import { unpack } from './apt.ts'

/** A font whose presence means that an administrator has installed fonts on this machine. */
const mark = 'NotoColorEmoji.ttf'
const ofMachine = ['/usr/share/fonts', '/usr/local/share/fonts']
/** Packages with fonts for all scripts in use, Chinese, Japanese, Korean, and emoji: 24 MB. */
const packages = ['fonts-noto-core', 'fonts-droid-fallback', 'fonts-noto-color-emoji']

/**
 * Unpacks fonts into `fonts` of the folder, where browsers search for more (libs/browser/fonts.ts). Never rejects:
 * errors are reported, because screenshots are useful without these fonts.
 * @param mayBegin resolves when the download may use the processors; a rejection prevents it
 */
export async function provideFonts(
  folder: string,
  report: (line: string) => void,
  mayBegin: () => Promise<void> = async () => {},
): Promise<void> {
  if (fs.existsSync(path.join(folder, 'fonts')) || ofMachine.some(hasFonts)) return
  if (
    !(await mayBegin().then(
      () => true,
      () => false,
    ))
  )
    return
  try {
    await unpack([{ folder: 'fonts', suite: 'own', packages }], folder, () => {})
  } catch (error) {
    report(
      `Screenshots will lack emoji and some scripts, because the fonts could not be downloaded (${(error as Error).message.slice(0, 300)}). Install ${packages.join(', ')}, or set BROWSER_FONTS=none.`,
    )
  }
}

const hasFonts = (folder: string): boolean => {
  try {
    return fs.readdirSync(folder, { recursive: true }).some(file => path.basename(String(file)) === mark)
  } catch {
    return false
  }
}
