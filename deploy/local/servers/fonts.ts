/**
 * Fonts for pictures of pages, where the machine has none that would show every script: taken from Debian packages in
 * the background, unpacked beside the browser and not installed. Nobody waits for them.
 */
import fs from 'node:fs'
import path from 'node:path'
import { unpack } from './apt.ts'

/** Of the machine's fonts: a machine with this one was given fonts on purpose. */
const mark = 'NotoColorEmoji.ttf'
const ofMachine = ['/usr/share/fonts', '/usr/local/share/fonts']
/** The living scripts of the world, Chinese, Japanese and Korean, and emoji: 24 MB. */
const packages = ['fonts-noto-core', 'fonts-droid-fallback', 'fonts-noto-color-emoji']

/**
 * Fonts in `fonts` of the folder, which is where browsers look for more (libs/browser/fonts.ts). Never rejects: what
 * went wrong is reported, as pictures are worth having without.
 */
export async function provideFonts(folder: string, report: (line: string) => void): Promise<void> {
  if (fs.existsSync(path.join(folder, 'fonts')) || ofMachine.some(hasFonts)) return
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
