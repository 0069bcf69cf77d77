/**
 * Paths of files in an archive from URLs. They are safe on every common file system: relative, without controls and
 * reserved names, bounded, and readable.
 */

/** Maximum bytes of UTF-8, and number of folders. Windows allows 260 characters for a whole path. */
const limits = { segment: 80, path: 180, folders: 8 }

/** Controls, format characters, lone surrogates, and the characters that Windows rejects. */
const unsafe = /[\p{C}<>:"/\\|?*]/gu
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i

/**
 * Returns a path like `example.com/docs/intro`, without the extension. Different URLs can have the same path. A URL
 * that cannot be parsed is `page`.
 */
export function filePathOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return 'page'
  const segments = parsed.pathname.split('/').filter(segment => segment !== '')
  const name = parsed.pathname.endsWith('/') ? 'index' : (segments.pop() ?? 'index')
  const query = parsed.search === '' ? '' : `_${decoded(parsed.search.slice(1))}`
  const folders = segments.slice(0, limits.folders).map(segment => folderOf(decoded(segment)))
  const file = safeSegment(decoded(name).replace(/\.html?$/i, '') + query)
  return bounded([folderOf(parsed.host), ...folders], file)
}

/** A folder that ended like a file could have the path of a file. */
const folderOf = (text: string): string => safeSegment(text).replace(/\.md$/i, '.md_')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns a name without a meaning for any file system: `..`, hidden and reserved names get an underscore. */
function safeSegment(text: string): string {
  const clean = cut(
    text
      .slice(0, 4 * limits.segment)
      .normalize('NFC')
      .replace(unsafe, '_'),
    limits.segment,
  )
    .replace(/[. ]+$/, '_')
    .replace(/^[.~\- ]/, '_')
  return clean === '' || reserved.test(clean) ? `_${clean}` : clean
}

/** Returns the longest start of a text with at most this number of bytes. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) return text.slice(0, end)
    end += character.length
  }
  return text
}

/** Leaves out the innermost folders of a long path. */
function bounded(folders: string[], file: string): string {
  const kept = [...folders]
  while (kept.length > 1 && Buffer.byteLength([...kept, file].join('/')) > limits.path) kept.pop()
  return [...kept, file].join('/')
}
