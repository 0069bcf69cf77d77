/** Returns words for a page that no other page has, because pages with equal texts would count as a trap. */
import { hash } from 'node:crypto'

export const ownWords = (path: string): string =>
  hash('sha256', path)
    .replaceAll(/\d/g, digit => 'ghijklmnop'.charAt(Number(digit)))
    .replaceAll(/.{6}/g, '$& ')
