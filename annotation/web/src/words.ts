// Numbers with their noun, and names as people see them.

/** "1 mark", "2 marks". */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString()} ${number === 1 ? noun : plural}`;
}

/** What can be seen of a name: no invisible characters, and one space where there are several. */
export function visible(name: string): string {
  return name.normalize("NFC").replace(/[\p{Cf}\p{Cc}]/gu, "").replace(/\s+/gu, " ").trim();
}

/** Return true if the typed text names the person: their name or pseudonym. */
export function names(typed: string, person: { name: string; pseudonym: string }): boolean {
  const seen = visible(typed);
  return seen !== "" && (seen === visible(person.name) || seen === person.pseudonym);
}
