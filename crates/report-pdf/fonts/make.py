"""Makes the fonts that this crate embeds from those of five npm packages.

    for font in noto-sans-sc@0.4.3 noto-sans-mono@0.4.2 noto-sans@0.4.2 noto-sans-math@0.4.2 noto-sans-jp@0.4.3; do
      npm pack @expo-google-fonts/$font && mkdir -p packages/${font%@*} && tar xzf *-${font/@/-}.tgz -C packages/${font%@*}
    done
    pip install fonttools==4.68.0 zstandard==0.25.0
    python3 make.py packages

README.md says what each is for. They keep no hints, and are compressed as zstd frames.
"""

import hashlib
import pathlib
import sys

import zstandard
from fontTools import subset
from fontTools.ttLib import TTFont

SOURCES = {
    "NotoSansSC-Regular": ("noto-sans-sc/package/400Regular/NotoSansSC_400Regular.ttf", "d45f67f0a7c0ca3f256950777ce6a61cc7ce5f9696d02900cbbaac25f8aa7d16"),
    "NotoSansSC-Bold": ("noto-sans-sc/package/700Bold/NotoSansSC_700Bold.ttf", "9a38ae0ab28cd5a256f9ea8e00dedc688aac17f7915fcb000572990afa956b96"),
    "NotoSansMono-Regular": ("noto-sans-mono/package/400Regular/NotoSansMono_400Regular.ttf", "11b5d661e57865bce89d3f103a654cfa4faf9347abebac252e30742be1e657b2"),
    "NotoSans-Regular": ("noto-sans/package/400Regular/NotoSans_400Regular.ttf", "fe8c022f48d8dd29f17b744d16f9346f4357e16f7d4f7be58b000ae7c291b614"),
    "NotoSans-Bold": ("noto-sans/package/700Bold/NotoSans_700Bold.ttf", "13a813c49624ae3ba3c5c6e72c5ebffc4b9e1e6ea32f421c04069b037c6ad431"),
    "NotoSansMath-Regular": ("noto-sans-math/package/400Regular/NotoSansMath_400Regular.ttf", "b4a1dfdbfa13b4755e5eac20cb25c1d17ed5a745ceb89639595e8cf45a2b1e07"),
    "NotoSansJP-Regular": ("noto-sans-jp/package/400Regular/NotoSansJP_400Regular.ttf", "d930d5d52d15231c283089760f84584272ad5e37e14607ba0d19c798e7a9caec"),
    "NotoSansJP-Bold": ("noto-sans-jp/package/700Bold/NotoSansJP_700Bold.ttf", "c5b7b9d6a6eb682b0d4e6bbb38509575fd2759a28f147daa74714d1359a7909e"),
}

# Common in names, missing from GB 2312.
NAMES = "喆镕玥堃昇祎瑄甯淼龘煊珺琎璟翀晟昉堉垚犇骉赟淏沄旻昳叡珅玙珩琍璠祾禕禛芃莙萱蘅邨郃鄢铄锴韡颋骎鹍麴燊煐熠燚勍喦囍塱墉姮婳嫒嬿孖峣嵘彧憬懿旸昕昫晗晞暐朤栩棽楸槿橦洺浠涴湉湜滢漪潆澍瀞灏炘炜烨焓焜煜熙熵爔玚玟玹珂珏珣珺琀琇琦琬琰瑀瑭瑾璇璐璞璨瓒皓盈睿砉硕祐祺禧筠箐粼綦纮绎缦翊翎翯耘聿芊芮苡茗荃荟莜菁菡萁蒄蓁蕙薇薏虓蜓衎裎詝谞豫赉轩辰逦邶郗郦鄞酆鉴钰铠铭锜锦锶镓镭闫阆陟雯霈霏霖霭靓靖韬韫頔颀颉飒飏馥骁骊骐骞骥鸢鹄黛齐龑㛃𫖯𬤊"


# What is only there for what Noto Sans SC lacks has a family name of its own, so that nothing else asks for it.
RENAMED = {
    "NotoSans": ("Noto Sans", "Noto Sans Supplement"),
    "NotoSansMath": ("Noto Sans Math", "Noto Sans Supplement Signs"),
    "NotoSansJP": ("Noto Sans JP", "Noto Sans Supplement Han"),
}


def rows(first, last):
    """Characters of GB 2312 whose first byte lies in this range."""
    found = set()
    for high in range(first, last + 1):
        for low in range(0xA1, 0xFF):
            try:
                found.add(ord(bytes([high, low]).decode("gb2312")))
            except UnicodeDecodeError:
                pass
    return found


def blocks(*borders):
    return {c for first, end in borders for c in range(first, end)}


def wanted(whole, japanese):
    """What each font keeps; None: everything."""
    latin = blocks((0x20, 0x7F), (0xA0, 0x180))
    symbols = blocks((0x2010, 0x2070), (0x2070, 0x20C0), (0x2100, 0x2300), (0x2460, 0x2700), (0x3000, 0x3040), (0xFF00, 0xFFF0))
    alphabets = blocks((0x180, 0x250), (0x300, 0x530), (0x1E00, 0x2000), (0x2000, 0x20D0), (0x2100, 0x2190), (0xFFFD, 0xFFFE))
    return {
        "NotoSansSC-Regular": None,
        "NotoSansSC-Bold": latin | symbols | blocks((0x370, 0x460)) | rows(0xA1, 0xA9) | rows(0xB0, 0xF7) | {ord(c) for c in NAMES},
        "NotoSansMono-Regular": latin,
        "NotoSans-Regular": latin | alphabets,
        "NotoSans-Bold": latin | alphabets,
        "NotoSansMath-Regular": blocks((0x2190, 0x2400), (0x25A0, 0x2600), (0x27C0, 0x2800), (0x2900, 0x2B00)) - whole,
        "NotoSansJP-Regular": {c for c in japanese if c >= 0x20000} - whole,
        "NotoSansJP-Bold": {c for c in japanese if c >= 0x20000},
    }


def options():
    chosen = subset.Options()
    chosen.layout_features = ["kern", "liga", "locl", "ccmp", "mark", "mkmk", "vert"]
    chosen.hinting = False
    chosen.name_IDs = ["*"]
    chosen.notdef_outline = True
    chosen.glyph_names = False
    chosen.recalc_timestamp = False
    return chosen


def rename(font, old, new):
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6, 16):
            gap = "" if record.nameID in (3, 6) else " "
            text = record.toUnicode().replace(old.replace(" ", gap), new.replace(" ", gap))
            font["name"].setName(text, record.nameID, record.platformID, record.platEncID, record.langID)


def checked(folder, name):
    path, digest = SOURCES[name]
    source = pathlib.Path(folder) / path
    found = hashlib.sha256(source.read_bytes()).hexdigest()
    if found != digest:
        sys.exit(f"{source} has the SHA-256 {found}, not {digest}: it is another version of the font")
    return str(source)


def characters(folder, name):
    return set(TTFont(checked(folder, name), lazy=True).getBestCmap())


def make(folder, name, kept):
    font = subset.load_font(checked(folder, name), options())
    subsetter = subset.Subsetter(options())
    subsetter.populate(unicodes=font.getBestCmap().keys() if kept is None else kept)
    subsetter.subset(font)
    family = name.partition("-")[0]
    if family in RENAMED:
        rename(font, *RENAMED[family])
    plain = pathlib.Path(f"{name}.ttf")
    subset.save_font(font, str(plain), options())
    packed = zstandard.ZstdCompressor(level=22).compress(plain.read_bytes())
    plain.unlink()
    pathlib.Path(f"{name}.ttf.zst").write_bytes(packed)
    print(f"{name}: {len(font.getBestCmap())} characters, {len(packed)} bytes, {hashlib.sha256(packed).hexdigest()}")


def main(folder):
    kept = wanted(characters(folder, "NotoSansSC-Regular"), characters(folder, "NotoSansJP-Regular"))
    for name in SOURCES:
        make(folder, name, kept[name])


main(sys.argv[1])
