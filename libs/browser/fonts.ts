/**
 * Where Chromium's own fontconfig looks for fonts: those that came with it and those of the machine. The file that
 * its package brings names folders in /tmp that anybody may fill.
 */

const families = {
  'sans-serif': ['Open Sans', 'Noto Sans', 'DejaVu Sans', 'Noto Color Emoji'],
  serif: ['Noto Serif', 'Liberation Serif', 'DejaVu Serif', 'Open Sans', 'Noto Color Emoji'],
  monospace: ['Noto Sans Mono', 'Liberation Mono', 'DejaVu Sans Mono', 'Open Sans', 'Noto Color Emoji'],
  emoji: ['Noto Color Emoji', 'Noto Emoji', 'DejaVu Sans'],
}

/** Names that pages ask for, and the kind that stands in where the machine has not the font itself. */
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

/**
 * @param fonts the folder of the fonts that came with the browser
 * @param cache a folder that fontconfig may write its lists to
 */
export function fontsConf(fonts: string, cache: string): string {
  const kinds = Object.entries(families).map(([kind, names]) => alias(kind, names))
  const others = Object.entries(stands).flatMap(([kind, names]) => names.map(name => alias(name, [kind])))
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    ...[fonts, '/usr/share/fonts', '/usr/local/share/fonts'].map(dir => `<dir>${escaped(dir)}</dir>`),
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
