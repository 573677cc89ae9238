/** The text with its percent-encoded characters decoded; as it is where `%` stands for itself, which URLs let pass. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
