/** Types of a package that has none. */
declare module 'html-encoding-sniffer' {
  type Options = { transportLayerEncodingLabel?: string; defaultEncoding?: string }

  /** Returns the WHATWG name of the encoding: byte order mark, transport label, prescan of 1,024 bytes, default. */
  export default function sniff(bytes: Uint8Array, options?: Options): string
}
