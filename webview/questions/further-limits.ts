/** How far a session may go on whose limit is reached. */

interface FurtherLimits {
  /** In ascending order. */
  limits: number[];
  /** The one of them that is nearest to the usual next limit. */
  usual: number;
}

/**
 * Returns limits for half, all, and five times of what the usual next limit adds, as round numbers above what is spent.
 * `least`: the smallest step that is worth a choice.
 */
export function furtherLimits(spent: number, next: number, least: number): FurtherLimits {
  const more = next - spent;
  const unit = Math.max(10 ** Math.floor(Math.log10(more)) / 2, least);
  const rounded = (limit: number) => {
    const units = Math.max(Math.round(limit / unit), Math.floor(spent / unit) + 1);
    // Without the errors of binary fractions.
    return Number((units * unit).toPrecision(12));
  };
  return { limits: [...new Set([0.5, 1, 5].map((share) => rounded(spent + share * more)))], usual: rounded(next) };
}
