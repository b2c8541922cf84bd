// SPDX-License-Identifier: Apache-2.0
// The bridge's file: written by tools/write-image.ts of this package from bridge-code.ts.

/** Bytes of the file. */
export const BRIDGE_BYTES = 9120;

/** A hash of them. */
export const BRIDGE_HASH = "ec96c3c96ea64994";

/** The bytes, compressed by deflate, in base64. */
export const BRIDGE_IMAGE: string =
  "7VpvbFPXFT+O8xxDYp43Na1VITUtb8IT00RnRQUVqlhzomvVjKLAQAJqjP3yZ7i25TiUiErwcLLyuHoaVdVq+7AKFVZVq0Bi7IMJEw3EyIpGNd" +
  "QhrdU2AVK6ln5oo6alKbR91bnvPvs9OyHwpVKndz74nnfu7/zuuef+87t6B7pjPU0uF5jihqeg9gTQBY3SBWtA4Dpim2FhOeC2l+Cv+QmW53st" +
  "0c+DSge315XH3PbS9Gsy/VZwe115DOyll5ebPiikPHDv4l+k3rUA5scL2FctYO9awL5tAfvIAvaXWdsu+ObBugqeTw+P2RSvxd5k7bfF7rbYAx" +
  "a7dZ50WOyCxR602D11efNaYmni7TRzf8S2mOBMIjcY75cL8eTu+GCmL1szFEZyciqRzydGLBXJvJwoyPG+4UyyMJjNGMYhuRDPJJ6TU/FcPpuT" +
  "84URG1jeV5DzmUQ6zsh2D/f1yXkDkEil4nJmbzyZlhOZ4Vx8IJvdY9Tk5f7BoYKcjz+XTQ2n5fjex8ERRxxxxBFHHHHEEUccceR7k94t4c3hLe" +
  "Ffh7cSpfyRruuhd0NT3aGJmBaTvHr7f0UAQndIXqKuEE9t94qnetsILXpdALNEPPUeoef8LoScCbDi5Q5W0KALIEaLq1lB1zBjEV/eSKVI+Dsc" +
  "0Y5P6K1A1OWSfoXQ5RJRi10MuUI81eu9NPd8aIIo5QAAhOPhZ8M7wzt2bp/sxXiJUp5piPVxM9YYfQujiSqXdBGLD2BG12P0OMa2YWxaHOsEDO" +
  "snXVhLL5NVvp+j5n6HKF/hK6X44gHAmnKUXo6635kh4mnfAyLA8N8NNNShNzH011H6xTi+kpaWAoAokLEJcWy9UUXoGSNNFAObPcHRQh1aNJq9" +
  "iS+ypDLxua7rPCcsE/j+jlm4WxJ+tswcMNvIhN4127GZx/H1ubTcqJm/JaKUJ1gcL0irSSUioTcQbbPkJ1pMCtRa/ouv2jJCaUEKYGgxLSIFu0" +
  "NTpNIs4ajr7S/5ALC3GBChESl4E1/mQxPWAPB6427d7PZVx3oySg9iUFF6GLskvh5VjWf192wWqIc7WHE0eD95nG7jDYSmRNeVu4/ClQbvN0zv" +
  "7tD025jj0C2WsvA43mGUfHwoIphE37ImAPLkBXEMhz2qlDHBb7cs4vS+ax4n7yJOJ+Zzal3EKTuf07pFnNrm6VNMPV5N4uqGJOYakphoNScUTj" +
  "u2Y1QiUsBUOkwlaCqrTWWNqXSZCjGVZ0xlm6nsMpUBU8mZyj5DGZUO8t0S9cNcx6DWGWVAxxVCi2wPVCNSsLSSZ2OOr/xxRMYwXaWfuupX29Fq" +
  "Mkoi9zv0Jra2SnhlKQBR5tg+U+xhC+YIXlES5QbAjE5UZRtbzT1+oirPuADUs4QFceQgA7uIeojhNeFPt3EVM+JJoglPIzP9B7lwQyDuC4RiMz" +
  "hK4m9xNerXe8ObCb0WoX1eonU+24ZbiG2ku8emxd89is9GX2P0emmcaWy/myH0n6WP2TN2rNajySWWHm1t6FGE9gQiTyq7MEljOI7308WLX9W6" +
  "ONlL6DWi7Q+EbpWKPKv7/efxYrPUyp63TxqHH1HK77Hxu0boJ6GJs5iFGfG070dLMIYtOEr6eYwXM/BYF0C0gjui3h2aKi0xmJU5PGLEFx9igQ" +
  "nXvKy4joXWeWMpC27ltxich1R6vM0AbUQTljFLj5/tEETrLDFg+2l0Uy5i72wZZ3sC0TpfMmBHDNj1BpjXgP3GgCUNGJ69dlirAfulAVtnwHbV" +
  "w4jWGTbiX2uLfznRhF99w+Nnu4F9epSa2NgJl1sAbj6CdrdhOIeG190As0eV9X9uMW50C58p619rMW51xbFRN095Byye8q1uPMs/imnHdF2EqD" +
  "KNsyiqrZPO4313w4EcdANEtb9J2O55gNZGhKeK8CGiqREx3QSwQU1L/nAlIrUdfATAnPnqqDTAJqvwHw+eOaNSDv9zqCekfXgGaaOMlajNEm4v" +
  "XnOf8WMzhH4d1QpSoDpb7xCtU8DVUrnI9hfNt/GWrm+gZdwfA3r7Jo9xjm7BvZbeIfQLorVfxXGkrH6tx7BrnRWvlWXcxtLKWUQry6s1llnBZF" +
  "FtLCNfWlkuCQbLlMvCsq3GcrLK8rSN5Y82lgOcpWhlebjG0l9labexXLWxrOUs660s0y1VlkerLP9qsbJ8amOZbTZYvgQLyxs1ln83myx/sLF8" +
  "aGM5yVlOW1kGaiyvVFmSNpb/zVlZ+jnLHivLL2osGw2WqPZXCZfTOP5UT9KA3v4E919l9b/tqfqL1Sgqt3U9Sq/q7W3MdIko5SA/nXZun7zsiC" +
  "OO/D+JcwPiyA9Bkol0GstcOpGUASAvp+XEkAyJVCovDw1t7DNxueHBFADs65cLu/cCDCQyqbScHzJ59gwm8RSF57P51JDlm4Q3+ccM5rcIV/nz" +
  "Uv78FtS+S2DfWfBLrFbzOwdemt8gBLi/+R3JUV4uqcPf0fWsFVcv3wE=";
