/** The width of a text in a desktop result, estimated in pixels of Arial. */
import { type Found, withSample } from './rule.ts'

/** Widths of the characters from space to tilde, in thousandths of the font size. */
const widths = (
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 ' +
  '584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 ' +
  '667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 ' +
  '278 556 500 722 500 500 500 334 260 334 584'
)
  .split(' ')
  .map(Number)
const first = 0x20
const usual = 556
const wide = 1000

/** Limits in pixels, which common SEO crawlers measured, and the font size in pixels. */
export type Limits = { min: number; max: number; fontSize: number }

/** Returns a finding for a text outside of the limits. @param advice how to shorten a text that is too wide */
export function widthFault(
  name: string,
  text: string,
  { min, max, fontSize }: Limits,
  advice: string,
): Found | null {
  const width = widthOf(text, fontSize)
  const about = `${name} has ${text.length} characters, about ${width} pixels`
  return width > max
    ? withSample(`${about}: results show about ${max}. ${advice}`, text)
    : withSample(`${about}. Up to ${max} pixels are available: add more detail.`, width < min ? text : null)
}

function widthOf(text: string, fontSize: number): number {
  let thousandths = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? first
    thousandths += widths[code - first] ?? (code >= 0x2e80 ? wide : usual)
  }
  return Math.round((thousandths * fontSize) / 1000)
}
