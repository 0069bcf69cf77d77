/** Decides whether a picture is sent as PNG or as base64 in JSON (RFC 9110, 12.5.1). */
import { rangesOf } from '../../http/domain/accept.ts'

export const pngType = 'image/png'

/** Returns true for clients that name PNG, unless they prefer plain JSON. */
export function prefersPng(accept: string | undefined): boolean {
  const ranges = rangesOf(accept)
  const weightOf = (type: string) => ranges.find(range => range.type === type)?.weight
  const png = weightOf(pngType) ?? weightOf('image/*') ?? 0
  return png > 0 && png >= (weightOf('application/json') ?? weightOf('application/*') ?? 0)
}
