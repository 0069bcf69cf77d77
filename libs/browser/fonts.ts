/**
 * Writes Chromium's font configuration, with the font folders of its package, `fonts` beside it, and the machine. The
 * package's own file is not used, because it names folders in /tmp that any user can fill.
 */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

const families = {
  'sans-serif': ['Open Sans', 'Noto Sans', 'DejaVu Sans', 'Noto Color Emoji'],
  serif: ['Noto Serif', 'Liberation Serif', 'DejaVu Serif', 'Open Sans', 'Noto Color Emoji'],
  monospace: ['Noto Sans Mono', 'Liberation Mono', 'DejaVu Sans Mono', 'Open Sans', 'Noto Color Emoji'],
  emoji: ['Noto Color Emoji', 'Noto Emoji', 'DejaVu Sans'],
}

/** Common font names of pages, and their substitutes on machines without the font. */
const stands = {
  'sans-serif': [
    'Arial',
    'Helvetica',
    'Helvetica Neue',
    'Verdana',
    'Segoe UI',
    'Roboto',
    'system-ui',
    'Tahoma',
  ],
  serif: ['Times', 'Times New Roman', 'Georgia', 'Cambria'],
  monospace: ['Courier', 'Courier New', 'Consolas', 'Menlo', 'Monaco'],
  emoji: ['Apple Color Emoji', 'Segoe UI Emoji'],
}

const ofMachine = ['/usr/share/fonts', '/usr/local/share/fonts']

/**
 * Writes the file for a browser with fonts of its own into its folder, and returns the path.
 * @param more a folder of further fonts, which may be absent
 */
export async function writeFontsConf(folder: string, more: string): Promise<string> {
  const file = path.join(folder, 'fonts.conf')
  const draft = `${file}.${randomUUID()}`
  const conf = fontsConf([path.join(folder, 'fonts'), more, ...ofMachine], path.join(folder, 'fonts-cache'))
  await fs.promises.writeFile(draft, conf)
  await fs.promises.rename(draft, file)
  return file
}

/**
 * Returns the text of a fontconfig file.
 * @param folders of fonts
 * @param cache a writable folder for fontconfig's lists
 */
function fontsConf(folders: string[], cache: string): string {
  const kinds = Object.entries(families).map(([kind, names]) => alias(kind, names))
  const others = Object.entries(stands).flatMap(([kind, names]) => names.map(name => alias(name, [kind])))
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    ...folders.map(dir => `<dir>${escaped(dir)}</dir>`),
    `<cachedir>${escaped(cache)}</cachedir>`,
    ...kinds,
    ...others,
    '</fontconfig>',
    '',
  ].join('\n')
}

function alias(family: string, names: string[]): string {
  const preferred = names.map(name => `<family>${name}</family>`).join('')
  return `<alias binding="same"><family>${family}</family><prefer>${preferred}</prefer></alias>`
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, character => `&#${character.charCodeAt(0)};`)
}
